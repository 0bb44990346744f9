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

/** Folders of the project on PATH, from its root: as typed, by `npx`, by direnv, through a link. */
const PLACES: readonly (readonly [path: string, files: string])[] = [
    [".::", ""],
    ["ROOT:", ""],
    ["ROOT/node_modules/.bin:", "node_modules/.bin/"],
    ["ROOT/.venv/bin/:", ".venv/bin/"],
    ["ROOT/../link:", "tools/"],
];

describe("PATH with folders of the project in it", () => {
    let place: Workplace;
    let server: MessagesServer;

    beforeEach(() => {
        place = new Workplace({ "notes.txt": "notes\n" });
    });
    afterEach(async () => {
        await server.close();
        await place.remove();
    });

    for (const [searchPath, files] of PLACES) {
        it(`With ${searchPath} on PATH, files of the repository do not pass for the programs that North runs`, () =>
            runWith(searchPath, files));
    }

    async function runWith(searchPath: string, files: string): Promise<void> {
        const mark = path.join(place.folder, "mark");
        const names = ["bash", "cat", "git", "grep", "mkfifo", "ps", "rg", "rm", "sh", "stty"];
        for (const name of names) {
            place.write(files + name, `#!/bin/sh\necho ${name} >> ${mark}\n`);
            fs.chmodSync(place.place(files + name), 0o755);
        }
        fs.symlinkSync(place.place("tools"), path.join(place.repository, "../link"));
        const ran = path.join(place.folder, "ran");
        const command = `cat > /dev/null; echo notes | grep -c notes >> ${ran}`;
        // One that names files of the project, as in its root, would be asked about.
        const hooks = { PreToolUse: [{ hooks: [{ type: "command", command }] }] };
        place.configure(files === "" ? {} : { hooks });
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
                PATH: searchPath.replace("ROOT", place.repository) + process.env.PATH,
                ANTHROPIC_API_KEY: "key-of-the-test",
                ANTHROPIC_BASE_URL: server.url,
            },
        });
        expect(end.code).to.equal(0);
        expect(resultsIn(server.requests[1]?.body).run_1?.data?.stdout).to.equal("done\n");
        if (files !== "") expect(fs.readFileSync(ran, "utf8")).to.equal("1\n1\n");
        expect(fs.existsSync(mark) ? fs.readFileSync(mark, "utf8") : "").to.equal("");
    }
});
