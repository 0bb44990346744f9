import { counted } from "../../base/format.js";
import type { EditorState } from "./editor.js";

/** A longer paste is shown by its size, unless the cursor is inside of it. */
const [MAX_LINES, MAX_CHARACTERS] = [8, 2_000];

type Draft = Pick<EditorState, "text" | "cursor">;

/** The draft as it is shown: `Explain this: [300 lines pasted]`. */
export function foldPastes({ text, cursor, pasted }: Draft & Pick<EditorState, "pasted">): Draft {
    return pasted.reduceRight<Draft>(
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
    const lines = paste.split("\n", MAX_LINES + 1).length;
    if (lines > MAX_LINES) return `[${counted(paste.split("\n").length, "line")} pasted]`;
    return paste.length > MAX_CHARACTERS
        ? `[${counted(paste.length, "character")} pasted]`
        : undefined;
}
