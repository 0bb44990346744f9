import { expect } from "chai";
import { ClaudeWorkplace } from "../helpers/claude-workplace.js";
import { reply, text } from "../helpers/vendors/messages-server.js";

/** As the kitty protocol reports it, which nothing that follows can change. */
const ESCAPE = "\u001b[27u";

describe("A line with vi's keys", () => {
    it("A message is edited in normal mode, sent with Enter, and the next one begins in insert mode", async () => {
        const place = new ClaudeWorkplace();
        try {
            place.configure({ editingMode: "vi" });
            await place.serve([reply(text("First.")), reply(text("Second."))]);
            const terminal = await place.chat();
            terminal.type(`say helo wrld${ESCAPE}bcwhello${ESCAPE}bdb`);
            await terminal.waitFor(/❯ say hello *$/);
            terminal.type("\r");
            await terminal.waitFor("First.");
            terminal.type("dd");
            await terminal.waitFor(/❯ dd *$/);
            terminal.type("\r");
            await terminal.waitFor("Second.");
            terminal.type("/quit\r");
            await terminal.exit();

            const sent = place.server.requests.map(({ body }) =>
                JSON.stringify(body.messages.at(-1))
            );
            expect(sent[0]).to.contain('"say hello"');
            expect(sent[1]).to.contain('"dd"');
        } finally {
            await place.remove();
        }
    });
});
