import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";

import { expect } from "chai";

import { ask } from "../../../src/chat/questions/ask.js";
import { CANCELLED, NO, YES, type Question } from "../../../src/chat/questions/question.js";
import { createTerminalApprover } from "../../../src/chat/questions/terminal-approver.js";
import { nextPolls } from "../../../src/chat/terminal/keyboard.js";
import type { Decision } from "../../../src/core/approval/approver.js";
import { diffsOf } from "../../../src/core/diff/diff.js";
import { PATIENCE_MS } from "../../helpers/patience.js";
import { openQuestionTerminal } from "../../helpers/question-terminal.js";

const ALWAYS = { letter: "a", label: "always", approves: true, needsEnter: true };
const QUESTION: Question = { title: "Do it?", choices: [NO, YES, ALWAYS], takesReason: true };

describe("a question in the terminal", () => {
    let chat: ReturnType<typeof openQuestionTerminal>;
    let drawn = "";

    beforeEach(() => {
        drawn = "";
        chat = openQuestionTerminal((data) => (drawn += data));
    });
    afterEach(() => chat.close());

    async function open(question = QUESTION) {
        const controller = new AbortController();
        const answer = ask(chat.place, question, controller.signal);
        while (!drawn.includes(question.title)) await nextPolls();
        return { answer, controller };
    }

    /** One key by itself. */
    async function alone(key: string): Promise<void> {
        chat.clock.advance(400);
        await chat.press(key);
        chat.clock.advance(250);
        await nextPolls();
    }

    async function shows(text: string): Promise<void> {
        const end = Date.now() + PATIENCE_MS;
        while (Date.now() < end && !drawn.includes(text)) await nextPolls();
        expect(drawn).to.contain(text);
    }

    it("An answer may be a letter in either case", async () => {
        const { answer } = await open();
        await alone("Y");
        expect(await answer).to.deep.equal({ letter: "y" });
        expect(chat.composer.editor.text).to.equal("");
    });

    it("A letter that is no choice becomes text, and the question stays", async () => {
        const { answer } = await open();
        await alone("x");
        expect(chat.composer.editor.text).to.equal("x");
        await alone("y");
        expect(await answer).to.deep.equal({ letter: "y" });
    });

    it("Enter right behind a letter is told why it decided nothing", async () => {
        for (const [key, told] of [
            ["y", "Enter came too soon"],
            ["x", "The answers are n, y, a"],
        ] as const) {
            drawn = "";
            const { controller } = await open();
            chat.clock.advance(400);
            await chat.press(key);
            await chat.press("\r");
            await shows(told);
            expect(chat.submitted).to.deep.equal([]);
            controller.abort();
            chat.composer.setText("");
            await nextPolls();
        }
    });

    it("A lasting choice needs Enter, and typing something else discards it", async () => {
        const { answer } = await open();
        await alone("a");
        expect(drawn).to.contain("› a always (press Enter)");
        await chat.press("b");
        await chat.press("c");
        await chat.press("\r");
        expect(chat.submitted).to.deep.equal(["bc"]);
        await alone("\r");
        await alone("\r");
        expect(await answer).to.deep.equal({ letter: "n" });
    });

    it("Text typed after a no becomes its reason", async () => {
        const { answer } = await open();
        await alone("\u001b");
        await chat.place.terminal.keyboard.drain();
        await shows("Why not?");
        await chat.press("too early");
        await chat.press("\r");
        expect(await answer).to.deep.equal({ letter: "n", reason: "too early" });
    });

    it("Ctrl+C and an abort close the question unanswered and release the keyboard", async () => {
        const first = await open();
        await chat.press("\u0003");
        expect(await first.answer).to.equal(CANCELLED);
        drawn = "";
        const second = await open();
        second.controller.abort();
        expect(await second.answer).to.equal(CANCELLED);
        await chat.press("y");
        expect(chat.composer.editor.text).to.equal("y");
        expect(await ask(chat.place, QUESTION, second.controller.signal)).to.equal(CANCELLED);
    });

    it("T runs the command contained, shows its changes and asks again", async () => {
        const changeSet = {
            changes: [
                { path: "made.txt", before: null, beforeHash: null, after: Buffer.from("new\n") },
            ],
        };
        let trials = 0;
        const approver = createTerminalApprover({
            ...chat.place,
            root: "/project",
            allowedCommands: async () => [],
            cancelTurn: () => {},
        });
        const decided = approver.decide(
            {
                kind: "shell",
                callId: "c",
                command: "make",
                cwd: "/project",
                consequences: [],
                tryContained: async () => {
                    trials += 1;
                    const outcome = {
                        stdout: "built\n",
                        stderr: "",
                        exitCode: 0,
                        truncated: false,
                    };
                    return {
                        outcome: { ...outcome, durationMs: 40 },
                        changeSet,
                        diffs: diffsOf(changeSet),
                        needs: "It needs the network",
                    };
                },
            },
            new AbortController().signal
        );
        await shows("t try contained");
        await alone("t");
        await shows("It needs the network.");
        for (const text of ["built", "made.txt", "new", "would change 1 file"]) await shows(text);
        await alone("y");
        expect(await decided).to.deep.equal({ kind: "approve" });
        expect(trials).to.equal(1);
    });

    it("The question for a real run shows how the contained one ended and what it printed", async () => {
        const outputs = [{ path: "out/", files: 2, deleted: 0, names: ["a", "b"] }];
        const changeSet = { changes: [], outputs };
        const approver = createTerminalApprover({
            ...chat.place,
            root: "/project",
            allowedCommands: async () => [],
            cancelTurn: () => {},
        });
        const controller = new AbortController();
        const decided = approver.decide(
            {
                kind: "shell",
                callId: "c",
                command: "make",
                cwd: "/project",
                consequences: [],
                needs: "It needs the network",
                tried: {
                    outcome: {
                        stdout: "compiling\n",
                        stderr: "[\u001b[31mERROR\u001b[m] could not resolve host\n",
                        exitCode: 2,
                        durationMs: 40,
                        truncated: false,
                    },
                    changeSet,
                    diffs: diffsOf(changeSet),
                    needs: "It needs the network",
                },
            },
            controller.signal
        );
        for (const text of ["compiling", "[ERROR] could not resolve host", "exit 2 after"]) {
            await shows(text);
        }
        await shows("would leave 2 ignored files, shown above");
        await shows("It needs the network.");
        await shows("c contained result");
        await alone("c");
        expect(await decided).to.deep.equal({ kind: "contained" });
    });

    it("The model's reason for a real run is shown as its own words", async () => {
        const approver = createTerminalApprover({
            ...chat.place,
            root: "/project",
            allowedCommands: async () => [],
            cancelTurn: () => {},
        });
        const controller = new AbortController();
        const decided = approver.decide(
            {
                kind: "shell",
                callId: "c",
                command: "make",
                cwd: "/project",
                consequences: [],
                wanted: "it talks to\u001b[2J the database",
            },
            controller.signal
        );
        await shows("! The model says: it talks to^[[2J the database");
        controller.abort();
        await decided;
    });

    it("Keys and pastes that arrive while a question appears do not answer it", async () => {
        const keys = [
            ...["y", "Y", "n", "s", "a", "A", "v", "e", "h", "t", "b", "N", "x", "1", " "],
            ...["\r", "\n", "\t", "\u001b[A", "\u001b[B", "\u001b[C", "\u001b[D", "\u007f"],
            ...["y\r", "\u001b[200~y\r\u001b[201~"],
        ];
        expect(keys).to.have.length(25);
        for (const key of keys) {
            drawn = "";
            chat.clock.advance(1_000);
            await chat.press(key);
            chat.clock.advance(100);
            const { answer, controller } = await open();
            chat.clock.advance(100);
            await chat.press(key);
            chat.clock.advance(10_000);
            await nextPolls();
            const settled = await Promise.race([answer, nextPolls().then(() => "open")]);
            expect(settled, JSON.stringify(key)).to.equal("open");
            controller.abort();
            await answer;
        }
    });

    it("Typing 200 sentences over questions that appear at random moments decides nothing and loses nothing", async () => {
        const decisions: Decision[] = [];
        const approver = createTerminalApprover({
            ...chat.place,
            root: "/project",
            allowedCommands: async () => [],
            cancelTurn: () => {},
        });
        const random = numbers(11);
        const between = (least: number, most: number): number =>
            least + (random.next().value % (most - least + 1));
        const sentences = realSentences(200);
        expect(sentences).to.have.length(200);
        for (const sentence of sentences) {
            const controller = new AbortController();
            const at = between(0, sentence.length - 1);
            const request = {
                kind: "shell",
                callId: "c",
                command: "ls",
                cwd: "/project",
                consequences: [],
            } as const;
            for (const [index, letter] of [...sentence].entries()) {
                if (index === at) {
                    drawn = "";
                    void approver
                        .decide(request, controller.signal)
                        .then((decision) => decisions.push(decision));
                    while (!drawn.includes("Run this command?")) await nextPolls();
                }
                await chat.press(letter);
                chat.clock.advance(between(40, 200));
            }
            await chat.press("\r");
            chat.clock.advance(1_000);
            await nextPolls();
            expect(decisions, sentence).to.deep.equal([]);
            expect(chat.submitted.at(-1)).to.equal(sentence);
            controller.abort();
            while (decisions.length === 0) await nextPolls();
            decisions.length = 0;
        }
        expect(chat.submitted).to.deep.equal(sentences);
    });
});

/** Numbers that look random and are the same in each run (Lehmer). */
function* numbers(seed: number): Generator<number, never> {
    for (let state = seed; ;) yield (state = (state * 48_271) % 2_147_483_647);
}

/** Sentences of North's own documentation. */
function realSentences(amount: number): readonly string[] {
    const pages = [".", "docs"].flatMap((folder) =>
        readdirSync(folder)
            .filter((name) => name.endsWith(".md"))
            .map((name) => path.join(folder, name))
    );
    const text = pages.map((page) => readFileSync(page, "utf8")).join("\n\n");
    return text
        .replace(/```[^]*?```/g, "")
        .split(/\n\s*\n|(?<=[.?!:])\s+/)
        .map((sentence) => sentence.replace(/\s+/g, " ").trim())
        .filter((sentence) => /^[A-Za-z][\x20-\x7e]{10,90}[.?!]$/.test(sentence))
        .slice(0, amount);
}
