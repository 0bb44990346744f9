import { expect } from "chai";
import fc from "fast-check";

import {
    DeliberateKeys,
    EnteredLines,
    type QuestionAction,
} from "../../../src/chat/questions/deliberate-keys.js";
import type { Key } from "../../../src/chat/terminal/keys.js";
import { manualClock } from "../../helpers/question-terminal.js";

const text = (character: string): Key => ({ type: "text", text: character, sequence: character });

function press(name: string): Key {
    const ctrl = name.startsWith("ctrl-");
    const bare = name.replace("ctrl-", "");
    return { type: "press", name: bare, ctrl, alt: false, shift: false, sequence: "" };
}

function open({ lastKeyAt = -Infinity } = {}) {
    const clock = manualClock();
    const actions: QuestionAction[] = [];
    let draft = "";
    let sent = "";
    let isCancelled = false;
    const refused: string[] = [];
    const keys = new DeliberateKeys({
        clock,
        lastKeyAt,
        isLetter: (letter) => "nysav".includes(letter.toLowerCase()),
        hasDraft: () => draft !== "",
        act: (action) => {
            if (action.kind !== "reset") actions.push(action);
        },
        cancel: () => (isCancelled = true),
        refuse: (letter) => void refused.push(letter),
    });
    const pass = (key: Key): void => {
        if (key.type === "text") {
            draft += key.text;
        } else if (key.type === "press" && key.name === "enter") {
            sent += `${draft}\n`;
            draft = "";
        }
    };
    const handle = (key: Key): void => keys.handle(key, pass);
    const state = () => ({ actions, draft, sent, isCancelled, refused });
    return { keys, clock, handle, state };
}

const answered = (letter: string) => [{ kind: "letter", letter }];

describe("keys at a question", () => {
    it("A single letter becomes an answer only after a quarter of a second", () => {
        const { clock, handle, state } = open();
        handle(text("y"));
        clock.advance(249);
        expect(state().actions).to.deep.equal([]);
        clock.advance(1);
        expect(state().actions).to.deep.equal(answered("y"));
        expect(state().draft).to.equal("");
    });

    it("A letter within 400 ms of any other key is text, whoever handled that key", () => {
        const { clock, handle, state } = open({ lastKeyAt: 0 });
        clock.advance(399);
        handle(text("y"));
        clock.advance(1_000);
        expect(state().draft).to.equal("y");
        expect(state().actions).to.deep.equal([]);
        handle(text("y"));
        clock.advance(250);
        expect(state().actions).to.deep.equal(answered("y"));
    });

    it("A letter followed by another key is text, and so is the rest", () => {
        const { clock, handle, state } = open();
        for (const letter of "yes, do") {
            handle(text(letter));
            clock.advance(100);
        }
        clock.advance(1_000);
        expect(state()).to.deep.include({ actions: [], draft: "yes, do" });
    });

    it("Enter at the end of a sentence sends it, and Enter by itself takes the choice", () => {
        const { clock, handle, state } = open();
        for (const letter of "no") {
            handle(text(letter));
            clock.advance(100);
        }
        handle(press("enter"));
        expect(state()).to.deep.include({ actions: [], sent: "no\n" });
        clock.advance(400);
        handle(press("enter"));
        expect(state().actions).to.deep.equal([{ kind: "enter" }]);
    });

    it("Enter after a pause sends the existing draft and decides nothing", () => {
        const { clock, handle, state } = open({ lastKeyAt: 0 });
        clock.advance(100);
        handle(text("x"));
        clock.advance(2_000);
        handle(press("enter"));
        expect(state()).to.deep.include({ actions: [], sent: "x\n" });
    });

    it("A letter with Enter right behind it is neither an answer nor a message", () => {
        const { clock, handle, state } = open();
        handle(text("y"));
        clock.advance(50);
        handle(press("enter"));
        clock.advance(1_000);
        expect(state()).to.deep.include({ actions: [], draft: "y", sent: "", refused: ["y"] });
    });

    it("A letter that is no choice, with Enter after any pause, is refused until more is typed", () => {
        const { clock, handle, state } = open();
        handle(text("o"));
        for (const _ of [1, 2]) {
            clock.advance(1_000);
            handle(press("enter"));
        }
        expect(state()).to.deep.include({ actions: [], sent: "", refused: ["o", "o"] });
        clock.advance(1_000);
        handle(text("k"));
        handle(press("enter"));
        expect(state()).to.deep.include({ actions: [], sent: "ok\n" });
    });

    it("Arrows and Enter may follow each other quickly, and a letter after them is text", () => {
        const { clock, handle, state } = open();
        for (const key of ["down", "down", "enter"]) {
            handle(press(key));
            clock.advance(50);
        }
        handle(text("y"));
        expect(state().actions.map(({ kind }) => kind)).to.deep.equal(["next", "next", "enter"]);
        expect(state().draft).to.equal("y");
    });

    it("Escape means no, except in the middle of a sentence", () => {
        const { clock, handle, state } = open({ lastKeyAt: 0 });
        handle(press("escape"));
        expect(state().actions).to.deep.equal([]);
        clock.advance(400);
        handle(press("escape"));
        expect(state().actions).to.deep.equal([{ kind: "no" }]);
    });

    it("Ctrl+C cancels at any moment, and keeps the letter before it", () => {
        const { handle, state } = open();
        handle(text("y"));
        handle(press("ctrl-c"));
        expect(state()).to.deep.include({ isCancelled: true, draft: "y", actions: [] });
    });

    it("A letter that still waits when the question goes away is text", () => {
        const { keys, handle, state, clock } = open();
        handle(text("y"));
        keys.end();
        clock.advance(1_000);
        expect(state()).to.deep.include({ actions: [], draft: "y" });
    });

    it("A paste is text, even a single letter", () => {
        const { handle, state, clock } = open();
        handle({ type: "paste", text: "y", sequence: "y" });
        clock.advance(1_000);
        expect(state().actions).to.deep.equal([]);
    });

    it("Sentences typed at 40 to 200 ms a key over questions at random moments decide nothing and lose nothing", () => {
        const letters = [..."nysavehtANb yes no always, edit"];
        const sentence = fc
            .array(fc.constantFrom(...letters), { minLength: 2, maxLength: 60 })
            .map((characters) => characters.join(""));
        const typed = fc.record({
            sentence,
            gaps: fc.array(fc.integer({ min: 40, max: 200 }), { minLength: 60, maxLength: 60 }),
            /** Before which key the question appears. */
            at: fc.nat(59),
        });
        fc.assert(
            fc.property(typed, ({ sentence: words, gaps, at }) => {
                const from = Math.min(at, words.length - 1);
                const { clock, handle, state } = open({ lastKeyAt: from === 0 ? -Infinity : 0 });
                const [before, rest] = [words.slice(0, from), words.slice(from)];
                if (from > 0) clock.advance(gaps[from] ?? 100);
                for (const [index, letter] of [...rest].entries()) {
                    handle(text(letter));
                    clock.advance(gaps[from + index] ?? 100);
                }
                // What ends a sentence comes as fast as the rest of it.
                const isAlone = rest.length === 1 && from === 0;
                if (!isAlone) handle(press("enter"));
                clock.advance(1_000);
                if (isAlone) return;
                expect(state().actions).to.deep.equal([]);
                expect(before + state().sent).to.equal(`${words}\n`);
            }),
            { numRuns: 500 }
        );
    });
});

describe("Answers in a terminal that edits lines", () => {
    const lettersTaken = new Set(["y", "n", "A", "N"]);

    function enter(line: string) {
        const acts: unknown[] = [];
        const passed: Key[] = [];
        const refused: string[] = [];
        const lines = new EnteredLines({
            isLetter: (letter) => lettersTaken.has(letter),
            act: (...all) => acts.push(all),
            cancel: () => {},
            refuse: (letter) => void refused.push(letter),
        });
        for (const key of [text(line), press("enter")]) {
            lines.handle(key, (one) => passed.push(one));
        }
        return { acts, passed, refused };
    }

    it("`yes` and `no` are answers, with a reason after `no`", () => {
        const yes = [[{ kind: "letter", letter: "y" }], [{ kind: "enter" }]];
        const no = [[{ kind: "letter", letter: "n" }], [{ kind: "enter" }]];
        expect(enter("yes")).to.deep.include({ acts: yes, passed: [] });
        expect(enter("Yes").acts).to.deep.equal(yes);
        expect(enter("no").acts).to.deep.equal(no);
        expect(enter("no not now").acts).to.deep.equal([[{ kind: "no" }, "not now"]]);
        expect(enter("N").acts).to.deep.equal([
            [{ kind: "letter", letter: "N" }],
            [{ kind: "enter" }],
        ]);
    });

    it("A letter that is no choice is refused", () => {
        expect(enter("o")).to.deep.equal({ acts: [], passed: [], refused: ["o"] });
    });

    it("A sentence that begins with yes is a message", () => {
        const { acts, passed } = enter("yes, and rename it");
        expect(acts).to.deep.equal([]);
        expect(passed).to.deep.equal([text("yes, and rename it"), press("enter")]);
    });
});
