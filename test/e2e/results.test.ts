import * as fs from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { reply, startMessagesServer, text, toolUse } from "../helpers/vendors/messages-server.js";
import { Workplace } from "../helpers/north-program.js";
import { unmarked } from "./requests.js";

describe("Results in a request", () => {
    it("An image that the model reads is sent with the result, and again when the conversation is resumed", async () => {
        const png = Buffer.from("89504e470d0a1a0a0000", "hex");
        const place = new Workplace({});
        fs.writeFileSync(path.join(place.repository, "a.png"), png);
        const server = await startMessagesServer({
            script: [
                reply(toolUse("1", "read_file", { path: "a.png" })),
                reply(text("A cat.")),
                reply(text("Black.")),
            ],
        });
        try {
            const env = {
                ANTHROPIC_API_KEY: "test-key",
                ANTHROPIC_BASE_URL: server.url,
                NORTH_RESULTS: "text",
            };
            const first = await place.run(["-p", "What is it?"], { env });
            expect([first.stderr, first.stdout]).to.deep.equal(["", "A cat.\n"]);
            await place.run(["resume", "--last", "-p", "Which colour?"], { env });
            for (const { body } of server.requests.slice(1)) {
                const sent = JSON.stringify(body);
                expect(sent).to.contain("a.png (image/png, 1 KB)");
                expect(sent).to.contain(`"data":"${png.toString("base64")}"`);
            }
        } finally {
            await server.close();
            await place.remove();
        }
    });

    it("A NORTH_RESULTS that names no format is refused before a request", async () => {
        const place = new Workplace({});
        try {
            const env = { ANTHROPIC_API_KEY: "test-key", NORTH_RESULTS: "xml" };
            const end = await place.run(["-p", "Hi"], { env });
            expect([end.code, end.stderr]).to.deep.equal([
                2,
                "NORTH_RESULTS is neither text nor json: xml\n",
            ]);
        } finally {
            await place.remove();
        }
    });

    it("A resumed conversation sends earlier results as they were sent, whatever is set now", async () => {
        const place = new Workplace({ "a.txt": "first\nsecond\n" });
        const read = (id: string) => reply(toolUse(id, "read_file", { path: "a.txt" }));
        const server = await startMessagesServer({
            script: [read("1"), reply(text("One.")), read("2"), reply(text("Two."))],
        });
        try {
            const env = (format?: string) => ({
                ANTHROPIC_API_KEY: "test-key",
                ANTHROPIC_BASE_URL: server.url,
                NORTH_RESULTS: format,
            });
            await place.run(["-p", "Read."], { env: env() });
            const end = await place.run(["resume", "--last", "-p", "Again."], { env: env("json") });
            expect([end.stderr, end.stdout]).to.deep.equal(["", "Two.\n"]);
            const [, first, , last] = server.requests.map(({ body }) => unmarked(body));
            expect(last?.slice(0, first?.length)).to.deep.equal(first);
            const sent = JSON.stringify(last);
            expect(sent).to.contain('"a.txt (2 lines)\\nfirst\\nsecond"');
            expect(sent).to.contain(
                JSON.stringify('{"ok":true,"data":{"path":"a.txt"').slice(1, -1)
            );
        } finally {
            await server.close();
            await place.remove();
        }
    });
});
