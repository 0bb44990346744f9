import { counted, firstRows } from "../../base/format.js";
import type { Option } from "../../plugin/index.js";
import { meaningOf } from "../composer/bindings.js";
import { fitRow, itemsAround } from "../render/rows.js";
import { textWidth } from "../terminal/graphemes.js";
import { chord } from "../terminal/keys.js";
import { safeLine } from "../../base/safe-text.js";
import { askInLine, askLine } from "./line-question.js";
import type { Prompt } from "./question.js";

const MAX_ROWS = 12;
/** Rows for the number of further options, and for the help. */
const ROWS_BELOW = 2;
const MAX_NUMBERED = 30;
const SHORT_HELP = "  ↑↓ · Enter choose · Esc cancel";
const HELP = "  Type to search · ↑↓ move · Enter choose · Esc cancel";

/** Asks to pick an option; `undefined` on Escape, Ctrl+C or abort. */
export async function pick(
    prompt: Prompt,
    title: string,
    options: readonly Option[],
    signal: AbortSignal
): Promise<string | undefined> {
    if (options.length === 0) return undefined;
    const choices = options.map(toChoice);
    return prompt.terminal.isLineTerminal
        ? pickByNumber(prompt, title, choices, signal)
        : pickBySearch(prompt, title, choices, signal);
}

/** The current option comes first, so Enter keeps it. */
async function pickBySearch(
    prompt: Prompt,
    title: string,
    choices: readonly PickChoice[],
    signal: AbortSignal
): Promise<string | undefined> {
    const { theme, keyboard } = prompt.terminal;
    const ordered = choices.toSorted((a, b) => Number(b.isCurrent) - Number(a.isCurrent));
    let [found, searched, selected] = [ordered, "", 0];
    const search = (text: string): void => {
        if (text !== searched) [found, searched, selected] = [matching(ordered, text), text, 0];
    };
    // What was typed before the question must not answer it.
    await keyboard.drain();
    return askInLine(
        prompt,
        {
            label: `? ${safeLine(title)}`,
            below(text, columns, maxRows) {
                search(text);
                const room = Math.max(1, Math.min(MAX_ROWS, maxRows - ROWS_BELOW));
                const { shown, following } = itemsAround(found, selected, room);
                return [
                    ...shown.map((choice) =>
                        choice === found[selected]
                            ? theme.user(`❯ ${choice.name}`)
                            : `  ${choice.name}`
                    ),
                    ...(found.length === 0 ? [theme.quiet("  no match")] : []),
                    ...(following > 0 ? [theme.quiet(`  … ${following} more`)] : []),
                    theme.quiet(textWidth(HELP) < columns ? HELP : SHORT_HELP),
                ]
                    .slice(0, Math.max(1, maxRows))
                    .map((row) => fitRow(row, columns - 1));
            },
            answerTo(key, text) {
                search(text);
                const meaning = meaningOf(key);
                if (chord(key) === "escape") return { answer: undefined };
                const chosen = found[selected];
                if (meaning === "send") return chosen && { answer: chosen.value };
                const step = STEPS[typeof meaning === "string" ? meaning : ""] ?? 0;
                selected = Math.min(Math.max(0, selected + step), Math.max(0, found.length - 1));
                return undefined;
            },
        },
        signal
    );
}

const STEPS: Readonly<Record<string, number>> = { up: -1, down: 1 };

/** Picks by number, or by words that match one option. */
async function pickByNumber(
    prompt: Prompt,
    title: string,
    all: readonly PickChoice[],
    signal: AbortSignal
): Promise<string | undefined> {
    let choices = all;
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

interface PickChoice {
    readonly value: string;
    readonly name: string;
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
    return { value, name, isCurrent };
}

function matching(choices: readonly PickChoice[], term: string): PickChoice[] {
    const words = term.toLowerCase().split(/\s+/);
    return choices.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
}
