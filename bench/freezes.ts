// How long each kind of text that once froze North blocks the main thread.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { checkInput } from "../src/base/check-input.js";
import { compileGlob } from "../src/base/glob.js";
import { visibleLine } from "../src/base/safe-text.js";
import { bodyOf } from "../src/chat/questions/excerpt.js";
import { NO, YES } from "../src/chat/questions/question.js";
import { showQuestion } from "../src/chat/questions/question-rows.js";
import { loadInline } from "../src/chat/render/markdown/inline.js";
import { MarkdownLines } from "../src/chat/render/markdown/markdown-lines.js";
import { loadWidths } from "../src/chat/terminal/graphemes.js";
import { createTheme } from "../src/chat/terminal/theme.js";
import { readCommand } from "../src/code/commands/read-command.js";
import { readStructure } from "../src/code/structure.js";
import { searchInWorker } from "../src/workspace/search/run-search-worker.js";
import type { BenchRow } from "./measure.js";

const BOUND_MS = 100;
const ROUNDS = 3;
/** Cancels unfinished work after this time, like Ctrl+C. */
const CANCEL_MS = 500;

interface Input {
    readonly name: string;
    readonly text: string;
    /** A glob, pattern or file name. */
    readonly with?: string;
}

interface Kind {
    readonly name: string;
    read(input: Input, signal: AbortSignal): unknown;
    readonly found: readonly Input[];
    readonly generated: readonly Input[];
}

const theme = createTheme(1);

function times(unit: string, count: number, end = ""): Input {
    return { name: `${JSON.stringify(unit)} x ${count}`, text: unit.repeat(count) + end };
}

function repeated(units: readonly string[], counts: readonly number[], end = ""): Input[] {
    return units.flatMap((unit) => counts.map((count) => times(unit, count, end)));
}

/** Repeats each unit to about these lengths. */
function ofLength(units: readonly string[], lengths: readonly number[]): Input[] {
    return units.flatMap((unit) =>
        lengths.map((length) => times(unit, Math.floor(length / unit.length)))
    );
}

/** Pairs one text with each value. */
function against(text: string, values: readonly string[]): Input[] {
    return values.map((value) => ({
        name: value.length > 30 ? `${value.slice(0, 30)}…` : value,
        text,
        with: value,
    }));
}

const PATTERNS = ["^(a+)+$", "(a|a)*$", "(a*)*b", "(.*a){20}b", "(a?){200}a{200}", "\\w+\\d+\\w+$"];
const LETTERS = "\\p{L}{500}".repeat(20);

const KINDS: readonly Kind[] = [
    {
        name: "command line",
        read: ({ text }, signal) => readCommand(text, signal),
        found: [34, 60, 5_000]
            .map((count) => ({ ...times("-c ", count), name: `git -c x ${count}` }))
            .map((input) => ({ ...input, text: `git ${input.text}` })),
        generated: repeated(
            [
                "$(",
                "`",
                "bash -c '",
                "sudo ",
                "{ ",
                "a && ",
                "if a; then ",
                "<<E ",
                "find -exec ",
                "[",
                "$((",
                "\\",
            ],
            [100, 900, 6_000]
        ),
    },
    {
        name: "answer in Markdown",
        read({ text }) {
            const lines = new MarkdownLines(
                theme,
                () => undefined,
                () => 80
            );
            lines.growing(text);
            lines.add(text);
            lines.end();
        },
        found: [6_000, 200_000].map((count) => times("~", count, "`")),
        generated: repeated(
            [
                "`",
                "*",
                "_",
                "**a",
                "[",
                "](",
                "![",
                "#",
                "# ",
                "|",
                "- ",
                "> ",
                "<a ",
                "\\",
                "&a",
                "~~",
                "http://",
            ],
            [20_000, 100_000],
            "x"
        ),
    },
    {
        name: "glob",
        read: async ({ text, with: glob = "" }) => (await compileGlob(glob))(text),
        found: against("a".repeat(200), [`${"*a".repeat(12)}*b`]),
        generated: ["a".repeat(4_000), "a/".repeat(2_000)].flatMap((name) =>
            against(
                name,
                ["*a", "?*", "{a,aa}*", "[a-z]*", "**/a*", "a**"].map(
                    (unit) => `${unit.repeat(20)}b`
                )
            )
        ),
    },
    {
        name: "schema with a pattern",
        read: ({ text, with: pattern = "" }) =>
            checkInput(
                { type: "object", properties: { n: { type: "string", pattern } } },
                { n: text }
            ),
        found: against(`${"a".repeat(40_000)}!`, ["^(a+)+$"]),
        generated: against(`${"a".repeat(40_000)}!`, [...PATTERNS, LETTERS, "^(?=(a+)+$)"]),
    },
    {
        name: "text in a question",
        read({ text }) {
            const question = {
                title: visibleLine(text).slice(0, 80),
                body: bodyOf(text, (line) => line),
                choices: [NO, YES],
            };
            showQuestion(question, {}, { columns: 80, rows: 24 }, theme);
        },
        found: [times("\t", 50_000)],
        generated: ofLength(
            [
                "\t",
                " ",
                "\u200b",
                "\u3164",
                "e\u0301",
                "👩‍👩‍👧",
                "漢",
                "\n",
                "\u001b[31m",
                "a\n",
                "\ufe0f",
                "🏽",
            ],
            [10_000, 50_000, 100_000]
        ),
    },
    {
        name: "search in JavaScript",
        read: ({ text, with: query = "" }, signal) => searchText(text, query, signal),
        found: against("é".repeat(150_000), [LETTERS]),
        generated: against(`${"a".repeat(150_000)}!`, PATTERNS),
    },
    {
        name: "source file",
        read: ({ text, with: file = "a.sh" }, signal) => readStructure(file, text, signal),
        found: [times("$(", 30_000)],
        generated: Object.entries({
            "a.sh": "((",
            "b.sh": "`",
            "a.ts": "(",
            "b.ts": "`${",
            "a.py": "(",
            "a.cpp": "template<",
            "a.rs": "<",
            "a.go": "func(",
            "a.java": "{",
            "a.cs": "(",
            "a.rb": "#{",
            "a.php": "<?php (",
            "a.css": "{",
            "a.md": "> ",
            "a.html": "<a ",
        }).map(([file, unit]) => ({
            ...times(unit, 30_000),
            name: `${file}: ${unit} x 30000`,
            with: file,
        })),
    },
];

async function searchText(text: string, query: string, signal: AbortSignal): Promise<void> {
    const root = mkdtempSync(path.join(tmpdir(), "north-freezes-"));
    try {
        writeFileSync(path.join(root, "a"), text);
        const search = { query, isRegex: true, root, files: ["a"], limit: 5 };
        await searchInWorker(search, { limitMs: 10_000, signal });
    } finally {
        rmSync(root, { recursive: true });
    }
}

/** Returns the longest time the event loop was blocked, and the time until the end or cancel. */
async function measured(read: Kind["read"], input: Input) {
    const cancel = new AbortController();
    const timer = setTimeout(() => cancel.abort(), CANCEL_MS);
    const start = performance.now();
    let [last, blockedMs] = [start, 0];
    const tick = (): void => {
        const now = performance.now();
        blockedMs = Math.max(blockedMs, now - last);
        last = now;
    };
    const ticking = setInterval(tick, 1);
    try {
        await read(input, cancel.signal);
    } catch {
        // A cancel or error ends the measurement too.
    }
    tick();
    clearInterval(ticking);
    clearTimeout(timer);
    return { blockedMs, totalMs: performance.now() - start };
}

/** Best of several rounds, to exclude waiting for other processes. */
async function best(read: Kind["read"], input: Input) {
    const rounds = [];
    for (let round = 0; round < ROUNDS; round++) rounds.push(await measured(read, input));
    return {
        blockedMs: Math.min(...rounds.map(({ blockedMs }) => blockedMs)),
        totalMs: Math.min(...rounds.map(({ totalMs }) => totalMs)),
    };
}

function rowOf(
    kind: string,
    { name, text }: Input,
    { blockedMs, totalMs }: Awaited<ReturnType<typeof best>>
): BenchRow {
    return {
        what: `${kind}: ${name} (${text.length} characters)`,
        value: `${blockedMs.toFixed(0)} ms of ${totalMs.toFixed(0)} ms`,
        bound: `<= ${BOUND_MS} ms without a pause`,
        ok: blockedMs <= BOUND_MS,
    };
}

/** Reports each known input, and the worst generated one of its kind. */
export async function freezeRows(): Promise<BenchRow[]> {
    await Promise.all([loadWidths(), loadInline()]);
    const rows: BenchRow[] = [];
    for (const { name, read, found, generated } of KINDS) {
        // Warm-up: loads grammars and engines.
        await measured(read, { name: "", text: "a", with: "a*a*" });
        for (const input of found) rows.push(rowOf(name, input, await best(read, input)));
        const results = [];
        for (const input of generated) results.push({ input, ...(await best(read, input)) });
        const [worst] = results.toSorted((a, b) => b.blockedMs - a.blockedMs);
        if (worst) rows.push(rowOf(`${name}, worst of ${results.length}`, worst.input, worst));
    }
    return rows;
}
