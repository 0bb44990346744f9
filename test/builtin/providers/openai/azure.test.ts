import { expect } from "chai";
import { azure, connect } from "../../../../src/builtin/providers/openai/azure.js";
import type { ModelInfo } from "../../../../src/plugin/index.js";
import {
    type ResponsesServer,
    type ResponsesServerOptions,
    reply,
    startResponsesServer,
    text,
} from "../../../helpers/vendors/responses-server.js";
import { failureOf } from "../support.js";
import { collect, requestWith } from "./support.js";

const KEY = "a-key-of-the-test";

describe("Azure OpenAI", () => {
    let server: ResponsesServer | undefined;

    afterEach(async () => {
        await server?.close();
        server = undefined;
    });

    async function start(options: Partial<ResponsesServerOptions>): Promise<ResponsesServer> {
        const script = [reply(text("Hi"))];
        server = await startResponsesServer({
            ...{ script, apiKey: KEY, basePath: "/openai/v1", keyHeader: "api-key" },
            ...options,
        });
        return server;
    }

    for (const [name, suffix, options] of [
        ["alone", "", {}],
        ["with a slash", "/", {}],
        ["with the path", "/openai/v1/", {}],
        [
            "with a dated version",
            "/openai?api-version=2025-04-01-preview",
            { basePath: "/openai", query: "?api-version=2025-04-01-preview" },
        ],
    ] as const) {
        it(`The resource's address may come ${name}`, async () => {
            const { origin, assertDone } = await start(options);
            const connection = await connect({ apiKey: KEY, baseURL: `${origin}${suffix}` });
            expect((await collect(connection)).text).to.equal("Hi");
            assertDone();
        });
    }

    it("A request names the deployment and carries the key in api-key alone", async () => {
        const { origin, requests } = await start({});
        const connection = await connect({ apiKey: KEY, baseURL: origin });
        await collect(connection, requestWith({ model: deployment("team-prod") }));
        expect(requests[0]?.body.model).to.equal("team-prod");
        expect(requests[0]?.headers).to.include({ "api-key": KEY });
        expect(requests[0]?.headers).to.not.have.property("authorization");
    });

    it("Without an address, the error names the variable, and nothing is sent", async () => {
        const error = await failureOf(connect({ apiKey: KEY }));
        expect(error.message).to.equal("Azure OpenAI needs the address of your resource.");
        expect(error.nextSteps.join(" ")).to.include(
            "AZURE_OPENAI_ENDPOINT to something like https://NAME.openai.azure.com"
        );
    });

    it("A deployment named after its model has that model's limits, but no price and no aliases", () => {
        expect(deployment("gpt-6.2-sol")).to.include({
            id: "gpt-6.2-sol",
            contextTokens: 1_050_000,
            thinking: "adaptive",
        });
        expect(deployment("gpt-6.2-sol")).to.not.have.property("prices");
        expect(deployment("gpt-6.2-sol").aliases).to.deep.equal([]);
        expect(deployment("team-prod")).to.include({ contextTokens: 128_000 });
    });
});

function deployment(id: string): ModelInfo {
    const model = azure.describe?.(id);
    if (model === undefined) throw new Error(`No model ${id}`);
    return model;
}
