import { expect } from "chai";
import fc from "fast-check";
import {
    type MessagesServer,
    type Reply,
    reply,
    startMessagesServer,
    text,
    thinking,
    toolUse,
} from "../../../helpers/messages-server.js";
import { connect } from "../../../../src/builtin/providers/anthropic/connect.js";
import type { ModelConnection } from "../../../../src/plugin/index.js";
import { collect, requestWith } from "../support.js";

const said = reply(
    thinking("Überlegt 🤔", "c2ln"),
    text("Grüße, 世界 🌍\r\n"),
    toolUse("toolu_1", "read_file", { path: "ä/日本.ts" })
);

describe("a reply that comes in pieces", () => {
    let server: MessagesServer;
    let connection: ModelConnection;
    let next: Reply;

    before(async () => {
        server = await startMessagesServer({ script: () => next });
        connection = await connect({ apiKey: "k", baseURL: server.url });
    });

    after(async () => {
        await server.close();
    });

    async function received(pieceSizes?: readonly number[]) {
        next = { ...said, pieceSizes };
        return (await collect(connection, requestWith())).events;
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
