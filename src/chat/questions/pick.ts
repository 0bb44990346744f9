import { PassThrough } from "node:stream";
import { setImmediate } from "node:timers/promises";

import { counted, firstRows } from "../../base/format.js";
import type { Option } from "../../plugin/index.js";
import { fitRow } from "../render/rows.js";
import { chord } from "../terminal/keys.js";
import { safeLine } from "../../base/safe-text.js";
import { askLine } from "./line-question.js";
import type { Prompt } from "./question.js";

const MAX_ROWS = 12;
const MAX_NUMBERED = 30;
/** Rows for the title, the help and what is below the list. */
const ROWS_BESIDE = 6;
const HELP = "  Type to search · ↑↓ move · Enter choose · Esc cancel";

/** Asks to pick an option; `undefined` on Escape, Ctrl+C or abort. */
export async function pick(
    prompt: Prompt,
    output: NodeJS.WriteStream,
    title: string,
    options: readonly Option[],
    signal: AbortSignal
): Promise<string | undefined> {
    if (options.length === 0) return undefined;
    return prompt.terminal.isLineTerminal
        ? pickByNumber(prompt, title, options, signal)
        : pickBySearch(prompt, output, title, options, signal);
}

/** Reads its own stream, so that earlier typing cannot answer it. */
async function pickBySearch(
    { terminal }: Prompt,
    output: NodeJS.WriteStream,
    title: string,
    options: readonly Option[],
    signal: AbortSignal
): Promise<string | undefined> {
    const { search } = await import("@inquirer/prompts");
    const { keyboard, screen } = terminal;
    // Bad options from a plugin must throw before the screen is lent.
    const prompt = searchAmong(options, title, output);
    const cancel = new AbortController();
    const input = new PassThrough();
    await keyboard.drain();
    screen.suspend();
    const either = AbortSignal.any([signal, cancel.signal]);
    const context = { input, output, signal: either, clearPromptOnDone: true };
    const chosen = search(prompt, context).catch((error: unknown) => {
        if (either.aborted) return undefined;
        throw error;
    });
    let written: Promise<unknown> = Promise.resolve();
    // Search results arrive after the key: Enter in the same read would pick an outdated result.
    const write = async (sequence: string): Promise<void> => {
        if (!input.writableEnded) input.write(sequence);
        await setImmediate();
    };
    const release = keyboard.take((key) => {
        if (["escape", "ctrl-c"].includes(chord(key) ?? "")) cancel.abort();
        else written = written.then(() => write(key.sequence));
        if (chord(key) === "enter") keyboard.absorb(key);
    });
    try {
        return await chosen;
    } finally {
        release();
        input.end();
        screen.resume();
    }
}

/** Picks by number, or by words that match one option. */
async function pickByNumber(
    prompt: Prompt,
    title: string,
    options: readonly Option[],
    signal: AbortSignal
): Promise<string | undefined> {
    let choices: readonly PickChoice[] = options.map(toChoice);
    for (;;) {
        const lines = choices.map(({ name }, index) => `  ${index + 1} ${name}`);
        const more = (count: number) => `  … and ${counted(count, "other")}`;
        const shown = firstRows(lines, MAX_NUMBERED, more);
        prompt.view.printVerbatim([safeLine(title), ...shown]);
        await prompt.terminal.keyboard.drain();
        const answer = await askLine(prompt, "Number or words (Enter for none):", signal);
        if (answer === undefined || answer === "") return undefined;
        const numbered = /^\d+$/.test(answer) ? choices[Number(answer) - 1] : undefined;
        const found = numbered ? [numbered] : matching(choices, answer);
        const [chosen] = found;
        if (chosen && found.length === 1) return chosen.value;
        if (chosen) choices = found;
    }
}

/** The search prompt. The current option comes first, so Enter keeps it. */
export function searchAmong(
    options: readonly Option[],
    title: string,
    { columns = 80, rows = 24 }: Pick<NodeJS.WriteStream, "columns" | "rows">
) {
    const choices = options.map(toChoice);
    const ordered = choices.toSorted((a, b) => Number(b.isCurrent) - Number(a.isCurrent));
    return {
        message: safeLine(title),
        pageSize: Math.max(1, Math.min(MAX_ROWS, rows - ROWS_BESIDE)),
        source: (term: string | undefined) =>
            matching(ordered, term).map(({ value, name, short }) => ({
                value,
                // One row per option. The first two columns are for the pointer.
                name: fitRow(name, columns - 3),
                short,
            })),
        theme: { style: { keysHelpTip: () => fitRow(HELP, columns - 1) } },
    };
}

interface PickChoice {
    readonly value: string;
    readonly name: string;
    readonly short: string;
    readonly isCurrent: boolean;
}

function toChoice({ value, label = value, description, isCurrent = false }: Option): PickChoice {
    const short = safeLine(label);
    const notes = [
        // First: a narrow terminal cuts the end.
        ...(isCurrent ? ["current"] : []),
        ...(description ? [safeLine(description)] : []),
    ];
    const name = notes.length > 0 ? `${short} (${notes.join(", ")})` : short;
    return { value, name, short, isCurrent };
}

function matching(choices: readonly PickChoice[], term: string | undefined): readonly PickChoice[] {
    const words = (term ?? "").toLowerCase().split(/\s+/);
    return choices.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
}
