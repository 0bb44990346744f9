import { expect } from "chai";
import fc from "fast-check";
import {
    functionCall,
    reasoning,
    reply,
    type ResponsesReply,
    type ResponsesServer,
    startResponsesServer,
    text,
} from "../../../helpers/responses-server.js";
import type { ModelConnection } from "../../../../src/plugin/index.js";
import { collect, connectTo } from "./support.js";

const said = reply(
    reasoning("rs_1", "c2VjcmV0", "Überlegt 🤔"),
    text("Grüße, 世界 🌍\r\n"),
    functionCall("call_1", "read_file", { path: "ä/日本.ts" })
);

describe("a reply of OpenAI that comes in pieces", () => {
    let server: ResponsesServer;
    let connection: ModelConnection;
    let next: ResponsesReply;

    before(async () => {
        server = await startResponsesServer({ script: () => next });
        connection = await connectTo(server.url);
    });

    after(async () => {
        await server.close();
    });

    async function received(pieceSizes?: readonly number[]) {
        next = { ...said, ...(pieceSizes ? { pieceSizes } : {}) };
        return (await collect(connection)).events;
    }

    it("reads the same events byte by byte", async () => {
        expect(await received([1])).to.deep.equal(await received());
    });

    it("reads the same events wherever the bytes are cut", async () => {
        const whole = await received();
        await fc.assert(
            fc.asyncProperty(
                fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 8 }),
                async (sizes) => {
                    expect(await received(sizes)).to.deep.equal(whole);
                }
            ),
            { numRuns: 25 }
        );
    });
});
