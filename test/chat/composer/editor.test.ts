import { expect } from "chai";
import fc from "fast-check";

import {
    edit,
    EMPTY,
    typedText,
    type EditorAction,
    type EditorState,
} from "../../../src/chat/composer/editor.js";
import { mentionsIn } from "../../../src/core/message/attachments.js";
import type { Motion } from "../../../src/chat/composer/motions.js";

const MOTIONS: readonly Motion[] = [
    "left",
    "right",
    "word-left",
    "word-right",
    "blank-left",
    "line-start",
    "line-end",
    "line-up",
    "line-down",
    "text-start",
    "text-end",
];

// Letters, blanks, breaks, wide characters, joined emoji, flags, accents that combine.
const piece = fc.constantFrom(
    "a",
    "B",
    "7",
    " ",
    "\n",
    "\t",
    "漢",
    "é",
    "e\u0301",
    "👩‍👩‍👧",
    "🇩🇪",
    "\u0301",
    "_",
    "."
);
const texts = fc.array(piece, { maxLength: 12 }).map((parts) => parts.join(""));
const motions = fc.constantFrom(...MOTIONS);
const actions: fc.Arbitrary<EditorAction> = fc.oneof(
    texts.map((text) => ({ type: "insert", text }) as const),
    motions.map((to) => ({ type: "move", to }) as const),
    motions.map((to) => ({ type: "delete", to }) as const),
    motions.map((to) => ({ type: "kill", to }) as const),
    fc.constantFrom({ type: "yank" } as const, { type: "transpose" } as const),
    fc.constantFrom("upper", "lower", "capital").map((to) => ({ type: "recase", to }) as const),
    texts.map((text) => ({ type: "set", text }) as const)
);
const states = fc
    .array(actions, { maxLength: 20 })
    .map((list) => list.reduce<EditorState>(edit, EMPTY));

function boundaries(text: string): number[] {
    const segments = new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(text);
    return [...Array.from(segments, ({ index }) => index), text.length];
}

function typed(text: string): EditorState {
    return edit(EMPTY, { type: "set", text });
}

describe("edit", () => {
    it("Any sequence of edits keeps the cursor between two user-perceived characters", () => {
        fc.assert(
            fc.property(states, ({ text, cursor }) => {
                expect(boundaries(text)).to.include(cursor);
            })
        );
    });

    it("Undo reverts every change, one after the other", () => {
        fc.assert(
            fc.property(states, (state) => {
                let before = state;
                for (let step = state.changes.length; step > 0; step -= 1) {
                    before = edit(before, { type: "undo" });
                    expect(boundaries(before.text)).to.include(before.cursor);
                }
                expect(before.text).to.equal("");
            })
        );
    });

    it("Text is inserted at the cursor and nowhere else", () => {
        fc.assert(
            fc.property(states, texts, (state, text) => {
                const after = edit(state, { type: "insert", text });
                const { cursor } = state;
                expect(after.text).to.equal(
                    state.text.slice(0, cursor) + text + state.text.slice(cursor)
                );
            })
        );
    });

    it("Moving the cursor never changes the text", () => {
        fc.assert(
            fc.property(states, motions, (state, to) => {
                expect(edit(state, { type: "move", to }).text).to.equal(state.text);
            })
        );
    });

    it("Yank inserts exactly what kill removed", () => {
        fc.assert(
            fc.property(states, motions, (state, to) => {
                const killed = edit({ ...state, isKilling: false }, { type: "kill", to });
                fc.pre(killed.text !== state.text);
                // Where an accent found another letter, the cursor had to move.
                fc.pre(
                    boundaries(killed.text).length + boundaries(killed.killed).length ===
                        boundaries(state.text).length + 1
                );
                expect(edit(killed, { type: "yank" }).text).to.equal(state.text);
            })
        );
    });

    it("The cursor returns as many steps to the right as it went to the left", () => {
        fc.assert(
            fc.property(states, (state) => {
                fc.pre(state.cursor > 0);
                const left = edit(state, { type: "move", to: "left" });
                expect(edit(left, { type: "move", to: "right" }).cursor).to.equal(state.cursor);
            })
        );
    });

    it("One backspace deletes a family emoji", () => {
        const state = edit(typed("a👩‍👩‍👧"), { type: "delete", to: "left" });
        expect(state.text).to.equal("a");
    });

    it("Ctrl+W kills back to a blank, and Alt+Backspace back to a word", () => {
        expect(edit(typed("go to src/app.ts"), { type: "kill", to: "blank-left" }).text).to.equal(
            "go to "
        );
        expect(edit(typed("go to src/app.ts"), { type: "kill", to: "word-left" }).text).to.equal(
            "go to src/app."
        );
    });

    it("Killing at the end or start of a line joins it with its neighbour", () => {
        const atEnd = edit(edit(typed("one\ntwo"), { type: "move", to: "text-start" }), {
            type: "move",
            to: "line-end",
        });
        expect(edit(atEnd, { type: "kill", to: "line-end" }).text).to.equal("onetwo");
    });

    it("The column is kept across lines of different widths", () => {
        const state = edit(typed("abcdef\n漢字"), { type: "move", to: "line-up" });
        expect(state.cursor).to.equal(2);
        expect(edit(state, { type: "move", to: "line-down" }).cursor).to.equal(
            "abcdef\n漢字".length
        );
    });

    it("A pasted @ never counts as typed, whatever is edited around it", () => {
        const paste = { type: "insert", text: "see @.env and @key", isPasted: true } as const;
        const steps: readonly EditorAction[] = [
            { type: "insert", text: "look at @a.ts: " },
            paste,
            { type: "insert", text: " not @b.ts" },
            { type: "move", to: "text-start" },
            { type: "insert", text: "@c.ts " },
        ];
        const state = steps.reduce(edit, EMPTY);
        expect(state.text).to.equal("@c.ts look at @a.ts: see @.env and @key not @b.ts");
        expect(mentionsIn(typedText(state)).map(({ candidates: [first] }) => first)).to.deep.equal([
            "c.ts",
            "a.ts:",
            "b.ts",
        ]);
    });

    it("A pasted @ stays pasted through edits in its middle, kill, yank and undo", () => {
        const pasted = edit(EMPTY, { type: "insert", text: "one @.env two", isPasted: true });
        const ways: readonly (readonly EditorAction[])[] = [
            [{ type: "replace", from: 1, to: 2, text: "typed" }],
            [{ type: "delete", to: "left" }, { type: "undo" }],
            [{ type: "kill", to: "line-start" }, { type: "undo" }],
            [{ type: "kill", to: "line-start" }, { type: "yank" }],
            [{ type: "kill", to: "line-start" }, { type: "start" }, { type: "yank" }],
            [
                { type: "kill", to: "word-left" },
                { type: "kill", to: "line-start" },
                { type: "yank" },
            ],
        ];
        for (const actions of ways) {
            const state = actions.reduce(edit, pasted);
            expect(state.text).to.contain("@.env");
            expect(typedText(state)).not.to.contain("@");
        }
    });

    it("Escape sequences and carriage returns are not inserted", () => {
        const state = edit(EMPTY, { type: "insert", text: "a\u001b[31mb\r\nc\rd\u0007" });
        expect(state.text).to.equal("ab\nc\nd");
    });

    it("A line of a megabyte is edited as quickly as a short one", () => {
        let state = typed("漢".repeat(500_000));
        for (let count = 0; count < 1000; count += 1) {
            state = edit(state, { type: "delete", to: "left" });
        }

        expect(state.text.length).to.equal(499_000);
    });
});
