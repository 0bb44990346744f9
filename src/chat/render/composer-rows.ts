import type { Composer } from "../composer/composer.js";
import { layOut } from "../composer/layout.js";
import { safeLine } from "../../base/safe-text.js";
import { textWidth } from "../terminal/graphemes.js";
import type { Block } from "../terminal/screen.js";
import type { Theme } from "../terminal/theme.js";
import { counted } from "../../base/format.js";
import { fitRow, itemsAround } from "./rows.js";
import type { EditorState } from "../composer/editor.js";

const MARK = "❯ ";
const MAX_CHOICES = 10;

export function composerRows(
    composer: Composer,
    theme: Theme,
    columns: number,
    maxRows: number
): Block {
    const { text, cursor } = foldPastes(composer.editor);
    const below = [
        ...searchRows(composer, theme),
        ...choiceRows(composer, theme),
        ...(composer.note === undefined ? [] : [theme.quiet(`  ${composer.note}`)]),
    ]
        .slice(0, Math.max(0, maxRows - 3))
        .map((row) => fitRow(row, columns - 1));
    const room = Math.max(1, maxRows - below.length - 2);
    const layout = layOut(text, cursor, columns - MARK.length - 1, room);
    const above = layout.linesAbove > 0 ? [hidden("↑", layout.linesAbove, theme)] : [];
    const after = layout.linesBelow > 0 ? [hidden("↓", layout.linesBelow, theme)] : [];
    const lines = layout.rows.map((row, index) => {
        const isFirst = index === 0 && layout.linesAbove === 0;
        return (isFirst ? theme.user(MARK) : "  ") + row;
    });
    return {
        rows: [...above, ...lines, ...after, ...below],
        cursor: {
            row: above.length + layout.cursor.row,
            column: MARK.length + layout.cursor.column,
        },
    };
}

function hidden(arrow: string, lines: number, theme: Theme): string {
    return theme.quiet(`  ${arrow} ${counted(lines, "more line")}`);
}

function choiceRows(composer: Composer, theme: Theme): string[] {
    const found = composer.suggestions;
    if (!found) return [];
    const { choices, index = -1 } = found;
    const { shown, following } = itemsAround(choices, index, MAX_CHOICES);
    const width = Math.max(...shown.map(({ value }) => textWidth(safeLine(value))));
    const rows = shown.map((choice) => {
        const bare = safeLine(choice.value);
        const name = bare + " ".repeat(width - textWidth(bare));
        const isSelected = choice === choices[index];
        // Marked with a sign too: not every terminal has colours.
        return `${isSelected ? "› " : "  "}${isSelected ? theme.user(name) : name}  ${theme.quiet(safeLine(choice.description ?? ""))}`;
    });
    return following > 0 ? [...rows, theme.quiet(`  … ${following} more`)] : rows;
}

function searchRows({ searching }: Composer, theme: Theme): string[] {
    if (!searching) return [];
    const { query, found } = searching;
    const note = query !== "" && found === undefined ? "  no match" : "";
    const keys = "  Ctrl+R older · Enter choose · Esc cancel";
    return [
        `${theme.question("  search history:")} ${safeLine(query)}▏${theme.quiet(note + keys)}`,
    ];
}

/** Longer pastes collapse to a label, unless the cursor is inside. */
const [MAX_LINES, MAX_CHARACTERS] = [8, 2_000];

type EditorDraft = Pick<EditorState, "text" | "cursor">;

/** The draft as shown: `Explain this: [300 lines pasted]`. */
function foldPastes({
    text,
    cursor,
    pasted,
}: EditorDraft & Pick<EditorState, "pasted">): EditorDraft {
    return pasted.reduceRight<EditorDraft>(
        (draft, [from, to]) => {
            const label = from < cursor && cursor < to ? undefined : labelOf(text.slice(from, to));
            if (label === undefined) return draft;
            const shift = from + label.length - to;
            return {
                text: draft.text.slice(0, from) + label + draft.text.slice(to),
                cursor: draft.cursor < to ? draft.cursor : draft.cursor + shift,
            };
        },
        { text, cursor }
    );
}

function labelOf(paste: string): string | undefined {
    // A trailing newline starts no further line.
    const lines = paste.replace(/\n$/, "").split("\n").length;
    if (lines > MAX_LINES) return `[${counted(lines, "line")} pasted]`;
    return paste.length > MAX_CHARACTERS
        ? `[${counted(paste.length, "character")} pasted]`
        : undefined;
}
