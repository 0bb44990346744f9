import { existsSync } from "node:fs";
import path from "node:path";

import { expect } from "chai";

import { answer, offered, quiet } from "../helpers/answers.js";
import { bundledProgram } from "../helpers/bundled-program.js";
import { eventually } from "../helpers/north-program.js";
import { openTerminal, type PseudoTerminal } from "../helpers/pseudo-terminal.js";
import { temporaryFolder } from "../storage/temporary-folder.js";

const PROGRAM = bundledProgram(new URL("../helpers/chat-program.ts", import.meta.url));
// Whoever runs the tests may have set up their own pager.
const { LESS: _, ...inherited } = process.env;
const PROMPT = /❯ *$/;

interface Place {
    readonly columns?: number;
    readonly rows?: number;
    readonly env?: Readonly<Record<string, string>>;
    readonly term?: string;
    /** Typed before the program has shown anything. */
    readonly typed?: string;
}

describe("Chat in a terminal", () => {
    const folder = temporaryFolder();
    let terminal: PseudoTerminal;

    afterEach(() => terminal.close());

    async function open(options: object = {}, { env, typed, ...size }: Place = {}) {
        terminal = openTerminal({
            command: process.execPath,
            args: [PROGRAM, JSON.stringify(options)],
            ...size,
            env: { ...inherited, ...env },
        });
        if (typed !== undefined) terminal.type(typed);
        await terminal.waitFor(/❯|\?/);
    }

    async function send(text: string): Promise<void> {
        terminal.type(text);
        terminal.press("enter");
        await terminal.waitFor(`❯ ${text}\n`);
    }

    /** Waits until the turn is over and nothing is being typed. */
    const idle = () => terminal.waitFor(PROMPT);
    const wake = () => process.kill(terminal.pid, "SIGUSR2");

    it("The chat answers, stores the conversation, and Ctrl+D quits and restores the terminal", async () => {
        await open();
        await terminal.waitFor("project · Sonnet · agent · ● 42.5K (21%) · $0.12 / $3.40\n❯");
        terminal.type("héllo 漢字👩‍👩‍👧x");
        await terminal.waitFor("❯ héllo 漢字👩‍👩‍👧x");
        terminal.press("backspace");
        terminal.press("backspace");
        await terminal.waitFor(/❯ héllo 漢字$/m);
        expect(terminal.cursor().column).to.equal(2 + 6 + 4);
        terminal.press("enter");
        await terminal.waitFor("● You sent 1 lines, 8 characters");
        await idle();
        terminal.press("ctrl-d");
        expect(await terminal.exit()).to.deep.equal({ exitCode: 0, signal: 0 });
        expect(terminal.screen()).to.match(/The end: quit *$/);
        expect(terminal.raw()).to.contain("\u001b[?2004h").and.to.contain("\u001b[?2004l");
        expect(terminal.raw()).to.contain("\u001b[<u");
        expect(terminal.raw()).not.to.contain("\u001b[?1049h");
    });

    it("A slash command sends messages that look like the user's, and continues after their turns", async () => {
        await open();
        await send("/twice hello you");
        await terminal.waitFor("❯ /twice hello you\n\n● You sent 1 lines, 9 characters");
        await terminal.waitFor("❯ hello you\n\n● You sent 1 lines, 9 characters");
        await terminal.waitFor("Another turn or task is still running.");
        await idle();
        await send("/twice until cancelled");
        await terminal.waitFor("Going on");
        terminal.press("escape");
        await terminal.waitFor("Another turn or task is still running.");
        await idle();
        expect(terminal.screen()).not.to.contain("❯ until");
    });

    it("Ctrl+C clears the line, a second one quits, and Up walks through the history", async () => {
        await open();
        terminal.press("up");
        await terminal.waitFor("❯ second input");
        terminal.press("ctrl-c");
        await terminal.waitFor("Press Ctrl+C again to quit.");
        terminal.type("x");
        await terminal.waitForNo("Press Ctrl+C");
        terminal.press("ctrl-c");
        await terminal.waitFor("Press Ctrl+C");
        terminal.press("ctrl-c");
        expect((await terminal.exit()).exitCode).to.equal(0);
    });

    it("Ctrl+D asks before it cancels a turn and what is queued behind it", async () => {
        await open();
        await send("until cancelled");
        await terminal.waitFor("Going on");
        terminal.type("queued behind it");
        terminal.press("enter");
        await terminal.waitFor("queued behind it");
        terminal.press("ctrl-d");
        await terminal.waitFor("Press Ctrl+D again to cancel and quit.");
        terminal.press("ctrl-d");
        expect(await terminal.exit()).to.deep.equal({ exitCode: 0, signal: 0 });
        expect(terminal.screen()).to.match(/The end: quit *$/);
        expect(terminal.screen()).not.to.contain("You sent");
    });

    it("A paste of 20,000 lines is one message and loses no character", async () => {
        await open();
        const text = Array.from({ length: 20_000 }, (_, index) => `line ${index} — 漢`).join("\n");
        terminal.paste(text);
        await terminal.waitFor("❯ [20,000 lines pasted]");
        terminal.press("left");
        await terminal.waitFor(/↑ [\d,]+ more lines/);
        await terminal.waitFor("line 19999");
        expect(terminal.transcript().split("\n").length).to.be.at.most(30);
        terminal.press("enter");
        const { createHash } = await import("node:crypto");
        const hash = createHash("sha256").update(text).digest("hex").slice(0, 12);
        await terminal.waitFor(`You sent 20000 lines, ${text.length} characters, ${hash}`);
    });

    it("A long line wraps over several rows and is redrawn after a resize", async () => {
        await open({}, { columns: 40, rows: 12 });
        terminal.type("a".repeat(60));
        await terminal.waitFor(`❯ ${"a".repeat(37)}\n  ${"a".repeat(23)}`);
        terminal.resize(60, 12);
        await terminal.waitFor(`❯ ${"a".repeat(57)}\n  aaa`);
        terminal.press("shift-enter");
        terminal.type("second\\");
        terminal.press("enter");
        terminal.type("third");
        await terminal.waitFor("\n  second\n  third");
        terminal.press("ctrl-u");
        terminal.press("enter");
        await terminal.waitFor("You sent 2 lines, 67 characters");
    });

    it("Commands complete, several run in one line, and /model opens a picker", async () => {
        await open({}, { rows: 40 });
        terminal.type("/mode as");
        await terminal.waitFor("ask  reads and answers");
        terminal.press("tab");
        await terminal.waitForNo("reads and answers");
        terminal.type("/help");
        terminal.press("enter");
        // The help is longer than the window.
        await terminal.waitUntil(() => terminal.transcript().includes("Mode: ask"));
        await terminal.waitFor("Ctrl+C twice, Ctrl+D");
        await terminal.waitFor("Sonnet · ask ·");
        terminal.press("tab");
        await terminal.waitFor("Sonnet · plan ·");
        terminal.press("tab");
        await terminal.waitFor("Sonnet · draft ·");
        terminal.press("tab");
        await terminal.waitFor("Sonnet · agent ·");
        terminal.type("/model");
        terminal.press("enter");
        await terminal.waitFor(/Model 0 \(current, m0, anthropic, 200K context\)/);
        terminal.type("m7");
        await terminal.waitForNo("m0, anthropic");
        terminal.press("enter");
        await terminal.waitFor("project · Model 7 · agent");
        terminal.type("/model");
        terminal.press("enter");
        await terminal.waitFor("m0, anthropic");
        terminal.press("escape");
        await idle();
        await send("/model none");
        await terminal.waitFor("✘ No model is called none.");
        terminal.type("/quit");
        terminal.press("enter");
        expect((await terminal.exit()).exitCode).to.equal(0);
    });

    it("A mistyped command stays in the line with what was probably meant, and no model reads it", async () => {
        await open();
        for (const [typed, hint] of [
            ["/hlep", "There is no /hlep. Did you mean /help?"],
            ["/rewind", "There is no /rewind. /help lists the commands."],
            ["/modle opus", "There is no /modle. Did you mean /model?"],
        ] as const) {
            terminal.type(typed);
            terminal.press("enter");
            await terminal.waitFor(hint);
            await terminal.waitFor(`❯ ${typed}`);
            terminal.press("ctrl-u");
        }
        expect(terminal.transcript()).not.to.contain("You sent");
        await send("/tmp is full");
        await terminal.waitFor("● You sent 1 lines, 12 characters");
    });

    it("Typing only exit or quit ends the chat", async () => {
        await open();
        terminal.type("exit");
        terminal.press("enter");
        expect((await terminal.exit()).exitCode).to.equal(0);
        expect(terminal.transcript()).not.to.contain("You sent");
    });

    it("A question mark alone shows the help and is not sent", async () => {
        await open();
        terminal.type("?");
        terminal.press("enter");
        await terminal.waitFor("Ctrl+Z");
        expect(terminal.transcript()).not.to.contain("You sent");
    });

    it("A picker is searchable and starts at the current value", async () => {
        await open();
        // The second Enter is typed ahead: it chooses nothing.
        terminal.type("/mode\r\r");
        await terminal.waitFor("Which mode?");
        await terminal.waitFor(/❯ agent \(current, [^)]*\)\n +ask \(reads/);
        terminal.press("down");
        await terminal.waitFor(/❯ ask/);
        terminal.press("escape");
        await terminal.waitFor("Sonnet · agent ·");
        await idle();
        await send("/mode");
        await terminal.waitFor("Which mode?");
        await terminal.waitFor(/❯ agent/);
        terminal.type("changes noth\r");
        await terminal.waitFor("Sonnet · ask ·");
        await idle();
        await send("/mode");
        await terminal.waitFor(/❯ ask \(current, [^)]*\)/);
        terminal.press("enter");
        await terminal.waitUntil(() => terminal.transcript().split("Mode: ask").length === 3);
        await idle();
        expect(terminal.screen()).to.contain("Sonnet · ask ·").and.not.contain("Which mode?");
    });

    it("A picker fits a small terminal", async () => {
        await open({}, { columns: 40, rows: 12 });
        await send("/model");
        await terminal.waitFor(/Which model\?\n❯ Model 0 \(current, m0, anthropic, 200…/);
        for (let step = 0; step < 8; step += 1) terminal.press("down");
        await terminal.waitFor("❯ Model 8 (m8, anthropic, 200K context)");
        terminal.press("ctrl-c");
        await terminal.waitForNo("Which model?");
        await terminal.waitFor(/❯ \/model\s+\[Cancelled\]/);
        await idle();
    });

    it("An edit is shown with its choices, and its line and diff remain after approval", async () => {
        await open();
        await send("edit");
        await terminal.waitFor(
            "› n no · y yes · s allow edits until I quit · a always allow edits here"
        );
        expect(terminal.screen()).to.contain("? Edit app.ts? +3 -1\n1 -old^[[31m\n1 +line 1");
        await answer(terminal, "yes");
        await terminal.waitFor("✔ Edited app.ts (+3 -1)\n  1 -old^[[31m");
        await terminal.waitFor('Decision: {"kind":"approve"}');
        await idle();
        expect(terminal.transcript()).not.to.contain("y yes");
    });

    it("Enter takes the choice that does nothing, and what is typed after a no is its reason", async () => {
        await open();
        await send("edit");
        await offered(terminal);
        // Not at once: Enter belongs to what was just typed.
        await quiet(terminal);
        terminal.press("enter");
        await terminal.waitFor("Why not? The model sees your reason (Enter: none):");
        terminal.type("use a map, not a list");
        await terminal.waitFor(/not a list$/m);
        terminal.press("enter");
        await terminal.waitFor("✘ Rejected app.ts (+3 -1) · use a map, not a list");
        await terminal.waitFor('{"kind":"deny","reason":"use a map, not a list"}');
        await idle();
    });

    it("Arrows move between the choices, and Enter takes the one they are at", async () => {
        await open();
        await send("edit");
        await offered(terminal);
        await quiet(terminal);
        terminal.press("right");
        await terminal.waitFor("n no · › y yes");
        terminal.press("down");
        terminal.press("left");
        await terminal.waitFor("n no · › y yes");
        terminal.press("enter");
        await terminal.waitFor('Decision: {"kind":"approve"}');
    });

    it("A choice that outlasts the session needs Enter after its letter, and its line says so", async () => {
        await open();
        await send("edit");
        await offered(terminal);
        await quiet(terminal);
        terminal.press("a");
        await terminal.waitFor("› a always allow edits here (press Enter)");
        terminal.press("enter");
        await terminal.waitFor('Decision: {"kind":"approve","remember":"always"}');
        await idle();
        await send("ask");
        await answer(terminal, "always");
        await terminal.waitFor('Decision: {"kind":"approve","remember":"always"}');
    });

    it("A diff larger than the window shows its two ends, and all of it in the transcript without a pager", async () => {
        await open({}, { rows: 20, env: { PAGER: "cat" } });
        terminal.type("big edit\r");
        await offered(terminal, "view");
        expect(terminal.screen()).to.match(/⋮ 136 lines not shown \(of 151 lines\)/);
        expect(terminal.screen()).to.contain("y yes, 136 lines not shown");
        expect(terminal.transcript()).not.to.contain(" 75 +line 75");
        await answer(terminal, "view");
        await terminal.waitUntil(() => terminal.transcript().includes(" 75 +line 75"));
        await answer(terminal, "until I quit");
        await terminal.waitFor(
            'Decision: {"kind":"approve","remember":"session","shown":{"app.ts":"1-150"}}'
        );
    });

    it("A question about a command shows its folder and what always means", async () => {
        await open();
        await send("shell");
        await terminal.waitFor(
            "› n no · y yes · s allow until I quit · a always allow in this folder"
        );
        expect(terminal.screen()).to.contain(
            "? Run this command in packages/app?\n    npm test\n    npm run lint^[[8m\n"
        );
        await answer(terminal, "until I quit");
        await terminal.waitFor("▶ Ran npm test …");
        await terminal.waitFor('Decision: {"kind":"approve","remember":"session"}');
        await idle();
        await send("ask");
        await terminal.waitFor("? Fetch from example.org?");
        await terminal.waitFor("› n no · y yes · a always in this project");
        terminal.press("ctrl-c");
        await terminal.waitFor("✘ Denied: Fetching https://example.org");
        await idle();
    });

    it("Hunks are decided one by one, with a way back, byte for byte", async () => {
        await open();
        await send("parts");
        await answer(terminal, "hunk by hunk");
        await terminal.waitFor("? Apply hunk 1 of 2 in parts.txt? 2 left");
        await terminal.waitFor(
            "› n skip · y apply · A apply rest, 1 not shown · N skip rest · b back"
        );
        await answer(terminal, "yes");
        await terminal.waitFor("? Apply hunk 2 of 2 in parts.txt? 1 left");
        await answer(terminal, "back");
        await terminal.waitFor("hunk 1 of 2");
        await answer(terminal, "no", { takesReason: false });
        await terminal.waitFor("hunk 2 of 2");
        await answer(terminal, "yes");
        const lines = Array.from({ length: 11 }, (_, index) => `line ${index}\\r\\n`).join("");
        await terminal.waitFor(/Modified: [^]*parts\.txt @@ -9,4 \+9,4 @@/);
        expect(terminal.screen().replaceAll("\n", " ")).to.contain(`["${lines}last"]`);
    });

    it("The editor opens for a change, and for the draft by Ctrl+G", async () => {
        await open({}, { env: { EDITOR: "sed -i -e s/first/1st/ -e s/draft/done/", VISUAL: "" } });
        await send("parts");
        await answer(terminal, "edit");
        await terminal.waitFor(/Modified: \["1st/);
        await terminal.waitFor("edited by the user");
        await idle();
        terminal.type("my draft");
        terminal.press("ctrl-g");
        await terminal.waitFor(/❯ my done$/);
        terminal.press("enter");
        await terminal.waitFor("● You sent 1 lines, 7 characters");
    });

    it("The pager opens a long diff, and the question stays open", async () => {
        const PAGER = "sh -c 'tail -n 1 $1; echo less: $LESS; read answer' --";
        await open({}, { env: { PAGER } });
        terminal.type("big edit\r");
        await answer(terminal, "view");
        await terminal.waitFor(/150 \+line 150\nless: R$/);
        terminal.press("enter");
        // It was looked at: nothing is to be named any more.
        await terminal.waitFor("› n no · y yes · s allow edits until I quit");
        await answer(terminal, "yes");
        await terminal.waitFor('Decision: {"kind":"approve","shown":{"app.ts":"1-9,142-150"}}');
    });

    it("A review says why its command is not allowed yet", async () => {
        await open();
        await send("rm elsewhere");
        await terminal.waitFor("It is allowed in the project folder, not here.");
        await answer(terminal, "no", { takesReason: false });
        await terminal.waitFor("Why not?");
        terminal.press("ctrl-c");
        await terminal.waitFor("✘ Denied npm test");
        await idle();
    });

    it("The files are listed at the prompt, before anybody types @", async () => {
        const listingMark = path.join(folder(), "listed");
        await open({ listingMark });
        await eventually(() => existsSync(listingMark), "the listing");
    });

    it("Tab and Enter complete @files, and Escape dismisses them", async () => {
        await open();
        terminal.type("see @app");
        await terminal.waitFor(/@src\/app\.ts *\n.*@test\/app\.test\.ts/);
        terminal.press("down");
        terminal.press("enter");
        await terminal.waitFor(/❯ see @test\/app\.test\.ts$/m);
        terminal.type("@fil");
        await terminal.waitFor('@"src/a file.ts"');
        terminal.press("tab");
        await terminal.waitFor(/test\.ts @"src\/a file\.ts"$/);
        terminal.type("@rea");
        await terminal.waitFor("\n› @README.md");
        terminal.press("escape");
        await terminal.waitForNo("@README.md");
        terminal.press("enter");
        await terminal.waitFor("● You sent 1 lines, 43 characters");
    });

    it("Every new-line key inserts a line, and the arrows move between lines", async () => {
        await open();
        terminal.type("a");
        terminal.press("ctrl-j");
        terminal.type("b");
        terminal.press("alt-enter");
        terminal.type("c\u001b[27;2;13~e\u0301漢");
        await terminal.waitFor(/❯ a\n {2}b\n {2}c\n {2}e\u0301漢$/);
        expect(terminal.cursor().column).to.equal(2 + 3);
        for (const key of ["up", "up", "up"]) terminal.press(key);
        terminal.type("!");
        await terminal.waitFor(/❯ a!\n {2}b/);
        // Above the first line the history begins; below the last one the draft is again.
        terminal.press("up");
        await terminal.waitFor(/❯ second input$/);
        terminal.press("down");
        await terminal.waitFor(/❯ a!\n {2}b\n {2}c\n {2}e\u0301漢$/);
        terminal.press("enter");
        await terminal.waitFor("● You sent 4 lines, 10 characters");
    });

    it("The live area is redrawn after a resize, during streaming and during a question", async () => {
        await open({}, { columns: 60, rows: 20 });
        await send("wait");
        await terminal.waitFor("● Waiting");
        terminal.type("a draft");
        terminal.press("ctrl-j");
        terminal.type("of two lines");
        await terminal.waitFor("  of two lines");
        terminal.resize(90, 24);
        terminal.type(".");
        await terminal.waitFor(/❯ a draft\n {2}of two lines\.$/);
        expect(terminal.screen().match(/● Waiting|project · Sonnet|a draft/g)).to.have.length(3);
        wake();
        await terminal.waitFor(/❯ a draft\n {2}of two lines\.$/);
        terminal.press("ctrl-u");
        terminal.press("backspace");
        terminal.press("ctrl-u");
        await idle();
        await send("edit");
        await offered(terminal);
        terminal.resize(70, 22);
        await quiet(terminal);
        terminal.press("down");
        await terminal.waitFor("n no · › y yes");
        terminal.press("up");
        await answer(terminal, "yes");
        await terminal.waitFor('Decision: {"kind":"approve"}');
        await idle();
    });

    it("Ctrl+R searches the history", async () => {
        await open();
        terminal.press("ctrl-r");
        terminal.type("first");
        await terminal.waitFor(/❯ first input\n  search history: first/);
        terminal.press("enter");
        await terminal.waitFor(/❯ first input$/);
    });

    it("An exclamation mark runs the user's own command", async () => {
        await open();
        await send("!make it");
        await terminal.waitFor("    ran make it\n✘ exit code 3");
        await idle();
    });

    it("Text typed before and during a question becomes the draft in order and answers nothing", async () => {
        await open();
        await send("edit later");
        await terminal.waitFor("● Working");
        terminal.type("ay");
        await terminal.waitFor("❯ ay");
        wake();
        await offered(terminal);
        for (const letter of "y an") terminal.type(letter);
        await terminal.waitFor(/› n no · .*\n❯ ayy an$/);
        await answer(terminal, "no");
        await terminal.waitFor("✘ Rejected");
        await terminal.waitFor(/❯ ayy an$/);
        terminal.press("ctrl-u");
        await idle();
        terminal.type("edit after a blockade\r");
        await terminal.waitUntil(() => terminal.transcript().includes("Blocking"));
        terminal.type("y");
        await offered(terminal);
        await answer(terminal, "no");
        await terminal.waitFor(/❯ y$/);
    });

    it("A cancel returns the prompt at once, even when the turn hangs", async () => {
        await open();
        await send("until cancelled");
        await terminal.waitFor("● Going on");
        terminal.press("escape");
        await terminal.waitFor("[Cancelled]");
        await idle();
        await send("hang");
        await terminal.waitFor("● Hanging");
        terminal.press("ctrl-c");
        await terminal.waitUntil((screen) => screen.split("[Cancelled]").length === 3);
        await send("after");
        await terminal.waitFor("Waiting for the cancelled turn to stop");
        wake();
        await terminal.waitFor("● You sent 1 lines, 5 characters");
    });

    it("Input sent during a turn is queued, and returned to the draft when the turn is cancelled", async () => {
        await open();
        await send("wait");
        await terminal.waitFor("● Waiting");
        terminal.type("next one");
        terminal.press("enter");
        await terminal.waitFor("queued: next one");
        wake();
        await terminal.waitFor("● You sent 1 lines, 8 characters");
        await idle();
        await send("until cancelled");
        terminal.type("not now");
        terminal.press("enter");
        await terminal.waitFor("queued: not now");
        terminal.press("ctrl-c");
        await terminal.waitFor(/❯ not now$/);
        expect(terminal.screen()).to.contain("[Cancelled]");
    });

    it("A failure takes a sentence, a bug a line, and nothing else writes to the terminal", async () => {
        await open();
        await send("fail");
        await terminal.waitFor("✘ No key for anthropic.\n  → Run `north login`.");
        await idle();
        await send("bug");
        await terminal.waitFor("✘ Something went wrong inside North: x is not a function.");
        await idle();
        await send("evil");
        await terminal.waitFor("● ABC D");
        expect(terminal.raw()).not.to.contain("title");
    });

    it("Automatic approvals appear in the status line after a yes and disappear after /auto off", async () => {
        await open();
        await send("/auto commands");
        await terminal.waitFor("? Run all commands without asking, until you quit?");
        await answer(terminal, "yes");
        await terminal.waitFor("? Run all commands without asking, until you quit? yes");
        await terminal.waitFor("commands: automatic until you quit (/auto commands off)");
        await terminal.waitFor("project · Sonnet · agent · auto: commands · ●");
        await idle();
        await send("/auto off");
        await terminal.waitForNo(/auto: commands · ●\D*\n❯/);
    });

    it("Input typed before the session is open is kept, and the chat says what it waits for", async () => {
        await open({ opensLate: true });
        expect(terminal.screen()).to.match(/^❯ *$/);
        terminal.type("first");
        terminal.press("enter");
        terminal.type("/mode as");
        terminal.press("tab");
        await terminal.waitFor(/Waiting for plugins 1s\n❯ first$/);
        process.kill(terminal.pid, "SIGUSR1");
        await terminal.waitFor("● You sent 1 lines, 5 characters");
        await terminal.waitFor("❯ /mode ask");
        terminal.press("enter");
        await terminal.waitFor("project · Sonnet · ask");
        expect(terminal.screen()).not.to.contain("Waiting");
    });

    it("A terminal without a cursor also sends input entered before the session is open", async () => {
        await open({ opensLate: true, notices: ["A notice"] }, { term: "dumb", typed: "first\r" });
        process.kill(terminal.pid, "SIGUSR1");
        await terminal.waitFor("● You sent 1 lines, 5 characters");
        expect(terminal.screen()).to.match(/^first\n+❯ *\nA notice\n/);
    });

    it("The chat can be quit before the session is open", async () => {
        await open({ opensLate: true });
        terminal.type("draft");
        terminal.press("enter");
        terminal.press("ctrl-c");
        await terminal.waitFor(/❯ *\n.*Ctrl\+C/);
        terminal.press("ctrl-c");
        expect(await terminal.exit()).to.deep.equal({ exitCode: 0, signal: 0 });
        expect(terminal.screen()).to.match(/^The end: quit *$/);
    });

    it("A session that cannot open shows only the reason", async () => {
        await open({ opensLate: true, failsToOpen: true });
        process.kill(terminal.pid, "SIGUSR1");
        await terminal.exit();
        expect(terminal.screen()).to.match(/^The error: No model is called x\. *$/);
        expect(terminal.raw()).to.contain("\u001b[?2004l");
    });

    it("A termination during a question restores the terminal", async () => {
        await open();
        await send("edit");
        await offered(terminal);
        process.kill(terminal.pid, "SIGTERM");
        await terminal.exit();
        expect(terminal.screen()).to.contain("The end: interrupted");
        expect(terminal.raw()).to.match(/\u001b\[\?2004l\u001b\[\?25hThe end/);
    });

    it("Ctrl+Z suspends the chat, and resuming keeps the draft", async () => {
        terminal = openTerminal({
            command: "bash",
            args: ["--noprofile", "--norc", "-i"],
            env: { ...process.env, PS1: "shell> " },
        });
        terminal.type(`${process.execPath} ${PROGRAM}\r`);
        await terminal.waitFor("❯");
        terminal.type("draft");
        await terminal.waitFor("❯ draft");
        terminal.press("ctrl-z");
        await terminal.waitFor(/Stopped[^]*shell>$/m);
        terminal.type("echo from the $((1+1))nd shell; fg\r");
        await terminal.waitFor("from the 2nd shell");
        await terminal.waitFor(/❯ draft$/);
        terminal.type("!");
        await terminal.waitFor(/❯ draft!$/);
    });
});
