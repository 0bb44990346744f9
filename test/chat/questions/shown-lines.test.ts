import { expect } from "chai";
import fc from "fast-check";

import { createTerminalApprover } from "../../../src/chat/questions/terminal-approver.js";
import { loadWidths } from "../../../src/chat/terminal/graphemes.js";
import { nextPolls } from "../../../src/chat/terminal/keyboard.js";
import type { Decision } from "../../../src/core/approval/approver.js";
import { diffsOf } from "../../../src/core/diff/diff.js";
import { inRanges } from "../../../src/core/history/line-ranges.js";
import type { ChangeSet } from "../../../src/plugin/index.js";
import { PATIENCE_MS, patient } from "../../helpers/patience.js";
import { openQuestionTerminal } from "../../helpers/question-terminal.js";
import { ReflowingScreen } from "../../helpers/reflowing-screen.js";
import { sampledRuns } from "../../helpers/sample.js";

const SIZES = [
    { columns: 80, rows: 24 },
    { columns: 120, rows: 40 },
    { columns: 40, rows: 20 },
    { columns: 200, rows: 60 },
    { columns: 24, rows: 10 },
    { columns: 60, rows: 6 },
] as const;
type Size = (typeof SIZES)[number];

/** A session of answers to one change, with all that was ever on the screen. */
async function review(changeSet: ChangeSet, keys: readonly string[], size: Size, other?: Size) {
    const emulator = new ReflowingScreen(size.columns, size.rows);
    const frames: string[] = [];
    let written = Promise.resolve();
    const write = (data: string): void => {
        written = written.then(() => new Promise((done) => emulator.write(data, done)));
        // What was printed is above the screen, where its user can scroll.
        written = written.then(() => void frames.push(emulator.transcript()));
    };
    const chat = openQuestionTerminal(write, { ...size });
    const approver = createTerminalApprover({
        ...chat.place,
        root: "/project",
        allowedCommands: async () => [],
        cancelTurn: () => {},
    });
    const controller = new AbortController();
    let asked = changeSet;
    const ask = async (): Promise<Decision> => {
        const request = { kind: "write", callId: "c", changeSet: asked } as const;
        const diffs = diffsOf(asked);
        const decision = await approver.decide({ ...request, diffs }, controller.signal);
        if (decision.kind !== "modify") return decision;
        asked = decision.changeSet;
        return ask();
    };
    let isOver = false;
    const decided = ask().finally(() => (isOver = true));
    /** Until a question is drawn, or all is decided. Keys that do nothing draw nothing. */
    const settle = async (drawn: number) => {
        const deadline = Date.now() + (drawn === 0 ? PATIENCE_MS : 400);
        while (!isOver && Date.now() < deadline) {
            await nextPolls();
            await written;
            if (frames.length > drawn && /› \S |Why/.test(emulator.screen())) return;
        }
    };
    await settle(0);
    if (other) {
        emulator.resize(other.columns, other.rows);
        Object.assign(chat.output, other);
        const drawn = frames.length;
        chat.screen.resized();
        await settle(drawn);
    }
    for (const key of [...keys, "y", "y", "y", "y", "y"]) {
        if (isOver) break;
        const drawn = frames.length;
        chat.clock.advance(1_000);
        await chat.press(emulator.screen().includes("Why") ? "\r" : key);
        chat.clock.advance(1_000);
        await settle(drawn);
    }
    controller.abort();
    const decision = await decided;
    chat.close();
    return { decision, frames, asked };
}

function squeezed(text: string): string {
    return text.replace(/\s/g, "");
}

/** The added lines that a decision calls shown, with their text. */
function shownLines({ decision, asked }: Awaited<ReturnType<typeof review>>): string[] {
    if (decision.kind !== "approve") return [];
    const { shown = {} } = decision;
    return asked.changes.flatMap(({ path, after }) => {
        const isShown = inRanges(shown[path] ?? "");
        const lines = Buffer.from(after ?? "")
            .toString()
            .split("\n");
        return lines.filter((_, index) => isShown(index + 1));
    });
}

function change(path: string, before: readonly string[] | null, after: readonly string[]) {
    const bytes = (lines: readonly string[]) => Buffer.from(lines.map((l) => `${l}\n`).join(""));
    return { path, before: before && bytes(before), beforeHash: "", after: bytes(after) };
}

let counter = 0;
const unique = (text: string): string => `${text}${(counter += 1)};`;

const lineText = fc.oneof(
    { weight: 6, arbitrary: fc.stringMatching(/^[a-z(]{0,60}$/) },
    { weight: 1, arbitrary: fc.stringMatching(/^[a-z ]{90,300}$/) },
    { weight: 1, arbitrary: fc.constantFrom("漢字漢字", "👩‍👩‍👧 한글", "ｗｉｄｅ") }
);
const file = fc.record({
    lines: fc.array(lineText, { minLength: 1, maxLength: 70 }),
    /** Of each line of the file before: kept, replaced, or with new lines above it. */
    edits: fc.array(fc.constantFrom("keep", "keep", "keep", "replace", "insert"), {
        minLength: 70,
        maxLength: 70,
    }),
    isNew: fc.boolean(),
});

type EditedFile = typeof file extends fc.Arbitrary<infer Value> ? Value : never;

function changeOf(path: string, { lines, edits, isNew }: EditedFile) {
    const before = lines.map(unique);
    if (isNew) return change(path, null, before);
    const after = before.flatMap((line, index) => {
        if (edits[index] === "keep") return [line];
        if (edits[index] === "replace") return [unique("fresh")];
        return [unique("above"), unique("above"), line];
    });
    return change(path, before, after.join() === before.join() ? [unique("x"), ...after] : after);
}

describe("Lines that a review calls shown", () => {
    before(loadWidths);

    const keys = fc.oneof(
        fc.constant([]),
        fc.constant(["v"]),
        fc
            .array(fc.constantFrom("y", "n", "v", "b", "A\r"), { maxLength: 8 })
            .map((pressed) => ["h", ...pressed])
    );

    for (const size of SIZES) {
        it(`In a terminal of ${size.columns}x${size.rows}, a line counts as shown only if all of it was on the screen`, async function () {
            this.timeout(patient(120_000));
            const property = fc.asyncProperty(
                fc.array(file, { minLength: 1, maxLength: 3 }),
                keys,
                fc.option(fc.constantFrom(...SIZES), { nil: undefined }),
                async (files, pressed, other) => {
                    const changes = files.map((each, index) => changeOf(`f${index}.txt`, each));
                    const end = await review({ changes }, pressed, size, other);
                    const seen = end.frames.map(squeezed);
                    for (const line of shownLines(end)) {
                        const isSeen = seen.some((frame) => frame.includes(squeezed(line)));
                        expect(isSeen, `"${line}" in\n${end.frames.at(-1)}`).to.equal(true);
                    }
                }
            );
            await fc.assert(property, { numRuns: sampledRuns(12) });
        });
    }

    it("All added lines of a change that fits are shown, and no others", async () => {
        const changeSet = {
            changes: [change("a.txt", ["one", "two", "six"], ["one", "2", "six"])],
        };
        const { decision } = await review(changeSet, [], SIZES[0]);
        expect(decision).to.deep.equal({ kind: "approve", shown: { "a.txt": "2" } });
    });

    it("A change taller than the screen shows only its beginning and end", async () => {
        const lines = Array.from({ length: 90 }, (_, index) => `line ${index + 1}`);
        const end = await review({ changes: [change("a.txt", null, lines)] }, [], SIZES[0]);
        expect(shownLines(end)).to.deep.equal([...lines.slice(0, 10), ...lines.slice(-9)]);
    });

    it("Without a pager, a view of the whole shows all of it", async () => {
        const lines = Array.from({ length: 90 }, (_, index) => `line ${index + 1}`);
        const { decision } = await review(
            { changes: [change("a.txt", null, lines)] },
            ["v"],
            SIZES[0]
        );
        expect(decision).to.deep.equal({ kind: "approve", shown: { "a.txt": "1-90" } });
    });

    it("Each hunk that was looked at is shown, also where the user took only some", async () => {
        const before = Array.from({ length: 60 }, (_, index) => `line ${index + 1}`);
        const after = before.flatMap((line, index) =>
            index % 20 === 10 ? Array.from({ length: 12 }, (_, n) => `new ${index}-${n}`) : [line]
        );
        const end = await review(
            { changes: [change("a.txt", before, after)] },
            ["h", "y", "n", "y"],
            SIZES[0]
        );
        const taken = after.filter((line) => /^new (10|50)-/.test(line));
        expect(shownLines(end)).to.deep.equal(taken);
    });

    it("Equal lines that a question folds are shown only where their count is", async () => {
        const many = Array.from({ length: 30 }, () => "same");
        const changeSet = { changes: [change("a.txt", null, ["first", ...many, "last"])] };
        const { decision } = await review(changeSet, [], SIZES[0]);
        expect(decision).to.deep.equal({ kind: "approve", shown: { "a.txt": "1-32" } });
    });
});
