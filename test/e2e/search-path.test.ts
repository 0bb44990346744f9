import * as fs from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { Workplace } from "../helpers/north-program.js";
import {
    reply,
    startMessagesServer,
    text,
    toolUse,
    type MessagesServer,
} from "../helpers/vendors/messages-server.js";
import { resultsIn } from "./requests.js";

describe("PATH with the current folder in it", () => {
    let place: Workplace;
    let server: MessagesServer;

    beforeEach(() => {
        place = new Workplace({ "notes.txt": "notes\n" });
    });
    afterEach(async () => {
        await server.close();
        await place.remove();
    });

    it("Files of the repository do not pass for the programs that North runs", async () => {
        const mark = path.join(place.folder, "mark");
        const names = ["bash", "cat", "git", "grep", "mkfifo", "ps", "rg", "rm", "sh", "stty"];
        for (const name of names) {
            place.write(name, `#!/bin/sh\necho ${name} >> ${mark}\n`);
            fs.chmodSync(place.place(name), 0o755);
        }
        server = await startMessagesServer({
            script: [
                reply(
                    toolUse("run_1", "shell_run", { command: "echo done" }),
                    toolUse("find_1", "search_text", { query: "notes" })
                ),
                reply(text("ok")),
            ],
        });
        const end = await place.run(["-p", "Work", "--approve-shell"], {
            env: {
                PATH: `.::${process.env.PATH}`,
                ANTHROPIC_API_KEY: "key-of-the-test",
                ANTHROPIC_BASE_URL: server.url,
            },
        });
        expect(end.code).to.equal(0);
        expect(resultsIn(server.requests[1]?.body).run_1?.data?.stdout).to.equal("done\n");
        expect(fs.existsSync(mark) ? fs.readFileSync(mark, "utf8") : "").to.equal("");
    });
});
