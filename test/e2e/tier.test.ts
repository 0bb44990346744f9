import { expect } from "chai";
import { Workplace } from "../helpers/north-program.js";
import {
    reply as chatReply,
    says,
    startChatServer,
} from "../helpers/vendors/chat-completions-server.js";
import {
    failure,
    reply,
    type ResponsesReply,
    type ResponsesServer,
    startResponsesServer,
    text,
} from "../helpers/vendors/responses-server.js";

const LARGE = {
    input_tokens: 100_000,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: 10_000,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 110_000,
};

/** The built program and the vendor's server on loopback, which refuses what the vendor refuses. */
describe("north --tier flex", () => {
    let place: Workplace;
    let vendor: ResponsesServer;

    async function start(...script: readonly ResponsesReply[]) {
        place = new Workplace().reusingProcess();
        vendor = await startResponsesServer({ script });
    }

    const ask = (...extra: readonly string[]) =>
        place.run(["-p", "Hi", "--output-format", "json", ...extra], {
            env: { OPENAI_API_KEY: "a-key", OPENAI_BASE_URL: vendor.url },
        });
    const answered = (serviceTier: string) => ({
        ...reply(text("Done.")),
        usage: LARGE,
        serviceTier,
    });

    afterEach(async () => {
        await vendor.close();
        await place.remove();
    });

    for (const [tier, cost] of [
        ["flex", 0.0075],
        ["default", 0.015],
    ] as const) {
        it(`A request in the flex tier costs what the tier of the reply, ${tier}, costs`, async () => {
            await start(answered(tier));
            const end = await ask("--model", "luna", "--tier", "flex");
            expect(end.code, end.stderr).to.equal(0);
            expect(vendor.requests[0]?.body.service_tier).to.equal("flex");
            expect(JSON.parse(end.stdout).costUsd).to.be.closeTo(cost, 1e-9);
            const costs = JSON.parse((await place.run(["costs", "--json"])).stdout);
            expect(costs.totalUsd).to.be.closeTo(cost, 1e-9);
        });
    }

    it("The setting `tier` is the default of the flag, and no other request names a tier", async () => {
        await start(answered("flex"), answered("default"));
        place.configure({ tier: "flex" });
        await ask("--model", "gpt-6.1-sol");
        place.configure({});
        await ask("--model", "gpt-6.1-sol");
        const tiers = vendor.requests.map(({ body }) => body.service_tier);
        expect(tiers).to.deep.equal(["flex", undefined]);
    });

    for (const [model, provider] of [
        ["sol", "openai/gpt-6.2-sol"],
        ["gpt-6-new", "openai/gpt-6-new"],
        ["offline", "offline/offline"],
    ] as const) {
        it(`${provider} has no flex tier, and North says so before any request`, async () => {
            await start();
            const end = await ask("--model", model, "--tier", "flex");
            expect(end.code).to.equal(1);
            const said = `${end.stdout}${end.stderr}`;
            expect(said).to.include(`${provider} has no flex tier.`);
            expect(vendor.requests).to.have.length(0);
        });
    }

    it("A fallback without the tier is asked in its standard one", async () => {
        await start(failure(503, { message: "Busy" }, { "retry-after": "60" }));
        const house = await startChatServer({ script: () => chatReply(says("From the house.")) });
        const providers = { house: { baseURL: house.url, models: ["llama3"] } };
        place.configure({ providers, fallbackModels: ["house/llama3"] });
        const end = await ask("--model", "luna", "--tier", "flex");
        await house.close();
        expect(end.code, end.stderr).to.equal(0);
        expect(JSON.parse(end.stdout).result).to.equal("From the house.");
        expect(vendor.requests[0]?.body.service_tier).to.equal("flex");
        expect(house.requests[0]?.body).to.not.have.property("service_tier");
    });

    it("A vendor that stopped offering the tier is quoted, and nothing is retried", async () => {
        await start(failure(400, { message: "Flex is retired.", code: "unsupported_value" }));
        const end = await ask("--model", "luna", "--tier", "flex");
        expect(end.code).to.equal(1);
        expect(`${end.stdout}${end.stderr}`).to.include("Flex is retired.");
        expect(vendor.requests).to.have.length(1);
    });
});
