import { expect } from "chai";
import { Workplace } from "../helpers/north-program.js";
import {
    type ChatServer,
    failure as chatFailure,
    reply as chatReply,
    says,
    startChatServer,
} from "../helpers/vendors/chat-completions-server.js";
import {
    failure,
    type MessagesServer,
    type Reply,
    startMessagesServer,
} from "../helpers/vendors/messages-server.js";

/** The built program, whose own model and whose fallback are two servers on loopback. */
describe("Fallback models of the program", () => {
    let place: Workplace;
    let vendor: MessagesServer;
    let house: ChatServer;

    async function start(reply: Reply, houseReply = chatReply(says("From the house."))) {
        place = new Workplace().reusingProcess();
        vendor = await startMessagesServer({ script: [reply] });
        house = await startChatServer({ script: () => houseReply });
        const providers = { house: { baseURL: house.url, models: ["llama3"] } };
        const exploreModel = "no-such-model";
        place.configure({
            ...{ providers, exploreModel },
            fallbackModels: [exploreModel, "house/llama3"],
        });
    }

    const ask = (...extra: readonly string[]) =>
        place.run(["-p", "Hi", "--model", "sonnet", ...extra], {
            env: { ANTHROPIC_API_KEY: "a-key", ANTHROPIC_BASE_URL: vendor.url },
        });

    afterEach(async () => {
        await Promise.all([vendor.close(), house.close()]);
        await place.remove();
    });

    for (const [status, sentence] of [
        [429, "Anthropic's rate limit is reached"],
        [503, "Anthropic is overloaded"],
        [529, "Anthropic is overloaded"],
    ] as const) {
        it(`After status ${status} with a long wait the fallback answers, and the user reads so`, async () => {
            await start(failure(status, "overloaded_error", "Wait", { "retry-after": "60" }));
            const end = await ask();
            expect(end, end.stderr).to.include({ code: 0, stdout: "From the house.\n" });
            expect(end.stderr).to.include(`${sentence}: Wait.`);
            expect(end.stderr).to.include("Continuing with house/llama3.");
            for (const setting of ["fallbackModels", "exploreModel"]) {
                const missing = 'in config.json: There is no model called "no-such-model".';
                expect(end.stderr).to.include(`\`${setting}\` ${missing}`);
            }
            const costs = JSON.parse((await place.run(["costs", "--json"])).stdout);
            expect(JSON.stringify(costs.models ?? costs)).to.include("llama3");
        });
    }

    for (const status of [400, 401]) {
        it(`After status ${status} the turn fails and no other model is asked`, async () => {
            await start(failure(status, "invalid_request_error", "Not like this"));
            const end = await ask();
            expect(end).to.include({ code: 1, stdout: "" });
            expect(end.stderr).to.include("Not like this").and.not.include("Continuing");
            expect(house.requests).to.have.length(0);
        });
    }

    it("An overloaded fallback ends the turn only after its own retries", async () => {
        const wait = { "retry-after": "900" };
        await start(
            failure(529, "overloaded_error", "Wait", wait),
            chatFailure(503, { message: "Busy" }, wait)
        );
        const end = await ask();
        expect(end.code).to.equal(1);
        expect(end.stderr).to.match(/Continuing with house\/llama3\.[^]*Busy/);
    });
});
