import { expect } from "chai";
import { reply, startMessagesServer, text, toolUse } from "../helpers/vendors/messages-server.js";
import { Workplace } from "../helpers/north-program.js";
import { unmarked } from "./requests.js";

describe("Results in a request", () => {
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
