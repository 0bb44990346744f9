import fs from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { answer, offered } from "../helpers/answers.js";
import { ClaudeWorkplace, IDLE } from "../helpers/claude-workplace.js";

import { reply, text, toolUse } from "../helpers/vendors/messages-server.js";
import type { PseudoTerminal } from "../helpers/pseudo-terminal.js";
import { resultsIn, textsIn } from "./requests.js";

const LINES = Array.from({ length: 20 }, (_, index) => `line ${index}\r\n`);

describe("Session at the prompt of the built program", () => {
    let place: ClaudeWorkplace;
    let terminal: PseudoTerminal;

    beforeEach(() => {
        place = new ClaudeWorkplace({ "notes.txt": LINES.join("") });
    });
    afterEach(() => place.remove());

    async function send(message: string): Promise<void> {
        terminal.type(message);
        terminal.press("enter");
        await terminal.waitFor(`❯ ${message}\n`);
    }

    it("The user's own commands run unasked in their own shell, and the model is told", async () => {
        const run = toolUse("run_1", "shell_run", { command: 'echo "the $colour one"' });
        await place.serve([reply(run), reply(text("Seen **it**, `all`."))]);
        terminal = await place.chat();
        await send("!colour=green; echo painted; false");
        await terminal.waitFor("    painted\n✘ exit code 1");
        await terminal.waitFor(IDLE);
        await send("Look");
        await offered(terminal);
        expect(terminal.raw()).not.to.contain("\u0007");
        await answer(terminal, "yes");
        await terminal.waitFor("● Seen **it**, `all`.");
        const told = textsIn(place.server.requests[0]?.body).join("\n");
        expect(told).to.contain("ended with exit code 1: colour=green; echo painted; false");
        expect(told).to.contain("painted");
        const { run_1: result } = resultsIn(place.server.requests.at(-1)?.body);
        expect(JSON.stringify(result?.data)).to.contain("the green one");
        place.server.assertDone();
    });

    it("The status line follows the branch, and a command of the settings can replace it", async () => {
        await place.serve([]);
        const head = path.join(place.repository, ".git", "HEAD");
        fs.writeFileSync(head, "ref: refs/heads/feature/status\n");
        terminal = await place.chat();
        const { base } = path.parse(place.repository);
        await terminal.waitFor(`${base} feature/status · `);
        fs.writeFileSync(head, "0123456789abcdef\n");
        await send("/mode ask");
        await terminal.waitFor(`${base} 0123456 · `);
        terminal.press("ctrl-d");
        await terminal.exit();

        place.configure({ statusLine: "tr , '\\n' | grep branch; echo more" });
        terminal = await place.chat();
        await terminal.waitFor('"branch":"0123456"');
        expect(terminal.screen()).not.to.contain("more");
        for (const statusLine of ["echo broken; false", "true"]) {
            place.configure({ statusLine });
            terminal.press("ctrl-d");
            await terminal.exit();
            terminal = await place.chat();
            await terminal.waitFor(`${base} 0123456 · `);
        }
    });

    it("A message sent during a turn goes in after the current calls, and Up takes one back", async () => {
        let answerNow = (): void => {};
        const gate = new Promise<void>((resolve) => (answerNow = resolve));
        const list = toolUse("list_1", "list_root", {});
        await place.serve([{ ...reply(list), gate }, reply(text("Understood."))]);
        terminal = await place.chat();
        await send("Look");
        await terminal.waitFor(/Waiting for the model.*tokens · Esc cancels/);
        terminal.type("Mind the tests");
        terminal.press("enter");
        await terminal.waitFor("queued: Mind the tests  ↑ edits it");
        terminal.type("/costs");
        terminal.press("enter");
        await terminal.waitFor("This conversation");
        terminal.press("up");
        await terminal.waitFor("❯ Mind the tests");
        terminal.type(" too");
        terminal.press("enter");
        await terminal.waitFor("queued: Mind the tests too");
        answerNow();
        await terminal.waitFor("● Understood.");
        await terminal.waitFor(IDLE);
        const last = place.server.requests.at(-1)?.body;
        expect(resultsIn(last)).to.have.property("list_1");
        expect(textsIn(last).at(-1)).to.contain("Mind the tests too");
        expect(terminal.transcript()).to.match(/list.*\n+❯ Mind the tests too\n+● Understood\./i);
        expect(place.server.requests).to.have.length(2);
        place.server.assertDone();
    });

    it("The bell rings only when configured, and only while a decision is pending", async () => {
        place.configure({ notify: "bell" });
        const run = toolUse("run_1", "shell_run", { command: "true" });
        await place.serve([reply(run), reply(text("Done."))]);
        terminal = await place.chat();
        expect(terminal.raw()).not.to.contain("\u0007");
        await send("Run");
        await offered(terminal);
        expect(terminal.raw().split("\u0007")).to.have.length(2);
        await answer(terminal, "yes");
        await terminal.waitFor("● Done.");
        await terminal.waitFor(IDLE);
        expect(terminal.raw().split("\u0007")).to.have.length(2);
    });

    it("A long answer shows every line once and its end last, and the chat continues", async () => {
        const amount = 4000;
        const lines = Array.from({ length: amount }, (_, index) => `line ${index} is **here**\n`);
        await place.serve([reply(text(`${lines.join("")}The end.`, 50)), reply(text("Gone on."))]);
        terminal = await place.chat();
        await send("Tell");
        await terminal.waitFor("The end.");
        const shown = terminal.transcript().match(/line \d+ is \*\*here\*\*$/gm);
        expect(shown).to.deep.equal(lines.map((line) => line.trim()));
        await send("Go on");
        await terminal.waitFor("● Gone on.");
        place.server.assertDone();
    });

    it("Only accepted hunks are written, and the model is told which", async () => {
        const edit = (old: string, fresh: string) => ({
            toolName: "edit_replace_exact",
            args: { path: "notes.txt", old, new: fresh },
        });
        const edits = [edit("line 1\r\n", "second\r\n"), edit("line 18", "last but one")];
        const read = toolUse("read_1", "read_file", { path: "notes.txt" });
        const write = toolUse("write_1", "edit_apply_batch", { edits });
        await place.serve([reply(read), reply(write), reply(text("Done."))]);
        terminal = await place.chat();
        await send("Edit");
        await answer(terminal, "hunk by hunk");
        await terminal.waitFor("hunk 1 of 2");
        await answer(terminal, "no", { takesReason: false });
        await terminal.waitFor("hunk 2 of 2");
        await answer(terminal, "yes");
        await terminal.waitFor("Apply your version of notes.txt? 1 of 2 hunks");
        await answer(terminal, "yes");
        await terminal.waitFor("● Done.");
        expect(terminal.screen()).to.contain("✔ Edited notes.txt (+1 -1) · changed in review");
        expect(place.files()["notes.txt"]).to.equal(LINES.with(18, "last but one\r\n").join(""));
        const { write_1: result } = resultsIn(place.server.requests.at(-1)?.body);
        expect(result?.data).to.deep.include({
            applied: "some",
            hunks: ["notes.txt @@ -16,5 +16,5 @@"],
        });
    });
});
