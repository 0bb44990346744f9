import http from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { expect } from "chai";
import { connect } from "../../../../src/builtin/providers/anthropic/connect.js";
import { anthropic } from "../../../../src/builtin/providers/anthropic/index.js";
import { reply, text, toEvents } from "../../../helpers/vendors/messages-replies.js";

const counts = {
    input_tokens: 1,
    output_tokens: 1,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
};

describe("Anthropic connections", () => {
    it("A connection is reused although the body ends after its last event", async () => {
        let connections = 0;
        const server = http.createServer(async (incoming, response) => {
            incoming.resume();
            response.writeHead(200, { "content-type": "text/event-stream" });
            for (const event of toEvents(reply(text("hi")), "claude-sonnet-5-5", counts)) {
                response.write(event);
            }

            // The end of the body travels in a packet of its own.
            await wait(20);
            response.end();
        });
        server.on("connection", () => (connections += 1));
        await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
        const { port } = server.address() as AddressInfo;
        const connection = await connect({ apiKey: "k", baseURL: `http://127.0.0.1:${port}` });
        for (let request = 0; request < 3; request += 1) {
            const { signal } = new AbortController();
            const events = connection.stream(
                {
                    model: anthropic.models[0]!,
                    system: "",
                    tools: [],
                    messages: [{ role: "user", content: [{ type: "text", text: "hi" }] }],
                    maxOutputTokens: 100,
                    thinking: false,
                    conversationId: "a",
                },
                { signal }
            );
            for await (const event of events) {
                if (event.type === "stop") expect(event.reason).to.equal("end");
            }
        }
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
        expect(connections).to.equal(1);
    });
});
