import { expect } from "chai";
import { answer, offered } from "../helpers/answers.js";
import {
    reply,
    startMessagesServer,
    text,
    toolUse,
    type MessagesServer,
    type Reply,
} from "../helpers/vendors/messages-server.js";
import { PROGRAM, Workplace } from "../helpers/north-program.js";
import { openTerminal, type PseudoTerminal } from "../helpers/pseudo-terminal.js";
import { resultsIn } from "./requests.js";

const IDLE = /❯ *$/;
const CODE = [
    "/* for",
    "   all that and ever */",
    "const limit = 3;",
    ...Array(9).fill("run();"),
    "end();",
    "",
];

const edit = (path: string, old: string, fresh: string) => ({
    toolName: "edit_replace_exact",
    args: { path, old, new: fresh },
});
const done = reply(text("Done."));

describe("Reviews in the built program", () => {
    let place: Workplace;
    let server: MessagesServer;
    let terminal: PseudoTerminal;

    beforeEach(() => {
        place = new Workplace({ "app.ts": CODE.join("\n"), "notes.txt": "old\n" });
    });
    afterEach(async () => {
        await terminal.close();
        await server.close();
        await place.remove();
    });

    async function ask(
        script: readonly Reply[],
        env: Record<string, string | undefined> = {},
        flags: readonly string[] = []
    ) {
        server = await startMessagesServer({ script });
        terminal = openTerminal({
            command: process.execPath,
            args: [PROGRAM, ...flags],
            cwd: place.repository,
            env: place.environment({
                ANTHROPIC_API_KEY: "test-key",
                ANTHROPIC_BASE_URL: server.url,
                ...env,
            }),
            columns: 60,
            rows: 50,
        });
        await terminal.waitFor(IDLE);
        terminal.type("Go on\r");
    }

    const batch = reply(
        toolUse("edit_1", "edit_apply_batch", {
            edits: [
                edit("app.ts", "ever */\nconst limit = 3;", "more */\nconst limit = 5;"),
                edit("app.ts", "end();", "stop();"),
                edit("notes.txt", "old", "fresh"),
            ],
        })
    );

    it("A review highlights code, also in the middle of a comment", async () => {
        await ask([batch, done], { NO_COLOR: undefined, FORCE_COLOR: undefined });
        await offered(terminal, "edit");
        const raw = terminal.raw();
        const [red, green] = ["\u001b[31m", "\u001b[32m"];
        expect(raw).to.contain(" \u001b[2m/* for\u001b[22m");
        expect(raw).to.contain(
            `${red}   all that and \u001b[39m${red}\u001b[7mever\u001b[27m\u001b[39m${red} */`
        );
        expect(raw).to.contain(`${green}+\u001b[39m\u001b[35mconst\u001b[39m${green} limit = `);
        terminal.press("ctrl-c");
        await terminal.waitFor(IDLE);
    });

    it("A batch is decided hunk by hunk, recorded, and the model learns what was applied", async () => {
        await ask([batch, done]);
        await terminal.waitFor("? Edit 2 files? +4 -4");
        expect(terminal.screen()).to.match(/\n\nnotes\.txt \+1 -1\n/);
        await answer(terminal, "hunk by hunk");
        await terminal.waitFor("? Apply hunk 1 of 3 in app.ts? 3 left");
        await answer(terminal, "yes");
        await terminal.waitFor("? Apply hunk 2 of 3 in app.ts? 2 left");
        await answer(terminal, "no", { takesReason: false });
        await terminal.waitFor("? Apply hunk 3 of 3 in notes.txt? 1 left");
        await answer(terminal, "yes");
        await terminal.waitFor("? Apply your version? 2 of 3 hunks");
        expect(place.files()["notes.txt"]).to.equal("old\n");
        await answer(terminal, "yes");
        await terminal.waitFor("● Done.");
        expect(terminal.screen()).to.contain("✔ Edited 2 files (+3 -3) · changed in review");
        expect(place.files()).to.include({
            "app.ts": CODE.join("\n").replace("ever", "more").replace("3", "5"),
            "notes.txt": "fresh\n",
        });
        const told = JSON.stringify(resultsIn(server.requests.at(-1)?.body).edit_1);
        expect(told).to.contain('"applied":"some"').and.to.contain("app.ts @@ -1,6 +1,6 @@");
        expect(told).to.contain("notes.txt @@ -1,1 +1,1 @@").and.not.to.contain("app.ts @@ -10");
    });

    it("An edit of a file that runs later says why it asks and offers no lasting yes, whatever is automatic", async () => {
        const create = (path: string) => ({
            toolName: "edit_create_file",
            args: { path, content: "#!/bin/sh\n" },
        });
        const edits = [create(".envrc"), create("src/a.sh"), create(".husky/pre-commit")];
        await ask([reply(toolUse("edit_1", "edit_apply_batch", { edits })), done], {}, [
            "--accept-edits",
        ]);
        await offered(terminal, "hunk by hunk");
        const shown = terminal.screen().replace(/\s+/g, " ");
        expect(shown).to.contain(
            "! Always asks: .envrc and 1 more control what other programs run. › n no · y yes · h hunks · e edit it first"
        );
        await answer(terminal, "no");
        await terminal.waitFor("Rejected 3 files");
    });

    it("One line remains of the question about a mentioned file, with its answer", async () => {
        await ask([done]);
        await terminal.waitFor("Done.");
        terminal.type("Read @/etc/hostname\r");
        await answer(terminal, "no", { takesReason: false });
        await terminal.waitFor(
            /^\? Attach \/etc\/hostname, which is outside the repository\?\s+no$/m
        );
    });

    it("A syntax error that an edit introduces is in its review, below the diff, and in the model's result", async () => {
        const { toolName, args } = edit("app.ts", "const limit = 3;", "const limit = = 3;");
        await ask([reply(toolUse("edit_1", toolName, args)), done], { NORTH_RESULTS: "text" });
        const finding = "app.ts:3: error: +1 syntax error, near `=`";
        await terminal.waitFor(`  ! ${finding}`);
        await answer(terminal, "yes");
        await terminal.waitFor("● Done.");
        expect(terminal.screen()).to.match(/✔ Edited app\.ts [^●]+\n {2}! app\.ts:3: error/);
        const told = JSON.stringify(server.requests.at(-1)?.body);
        expect(told).to.contain(`Applied: app.ts +1 -1\\n${finding}`);
    });

    it("Todos are shown whole, with continuation lines below the first row", async () => {
        const content = "Find everything that calls the helper, so that nothing is missed";
        const todos = [
            { content, status: "in_progress" },
            { content: "Test", status: "pending" },
        ];
        await ask([reply(toolUse("todo_1", "todo_write", { todos })), done]);
        await terminal.waitFor("● Done.");
        expect(terminal.screen()).to.contain(
            [
                "    ☐ Find everything that calls the helper, so that",
                "      nothing is missed (in progress)",
                "    ☐ Test",
            ].join("\n")
        );
    });
});
