import { graphemes, graphemeWidth, isPlain } from "./graphemes.js";
import { stripControls } from "../../base/safe-text.js";

/**
 * Which rows a terminal rewraps when it gets narrower; it cuts the others. No terminal can be
 * asked, and a wrong guess erases printed text. `from below`: xterm.js works from the last row up,
 * moves the cursor down for each added row, and skips the row on which the cursor then is.
 */
export type Rewrap = "all" | "from below" | "none";

/** Guesses from the environment. Most terminals rewrap everything. */
export function rewrapOf(environment: NodeJS.ProcessEnv): Rewrap {
    const { TERM = "", TMUX, STY, TERM_PROGRAM, VTE_VERSION, XTERM_VERSION } = environment;
    if (TMUX) return "all";
    if (STY || /^(?:linux|st)(?:-|$)/.test(TERM)) return "none";
    if (TERM_PROGRAM === "vscode") return "from below";
    // Terminals started from xterm inherit the variable.
    const isXterm = /^xterm(?:-\d*color)?$/.test(TERM) && !TERM_PROGRAM && !VTE_VERSION;
    return XTERM_VERSION && isXterm ? "none" : "all";
}

interface Drawn {
    readonly rows: readonly string[];
    readonly cursor?: { readonly row: number; readonly column: number } | undefined;
}

/** Rows between the start of the block and the cursor, after a resize to `columns`. */
export function rowsAboveCursor({ rows, cursor }: Drawn, columns: number, rewrap: Rewrap): number {
    const row = cursor?.row ?? rows.length - 1;
    const added = (text: string): number => wrappedRows(text, columns) - 1;
    switch (rewrap) {
        case "none":
            return row;
        case "from below": {
            let position = row;
            for (const [index, text] of [...rows.entries()].reverse()) {
                if (index !== position) position += added(text);
            }

            return position;
        }
        case "all": {
            const above = rows.slice(0, row).reduce((sum, text) => sum + added(text), row);
            return above + (cursor ? Math.floor(cursor.column / columns) : added(rows[row] ?? ""));
        }
        default:
            return rewrap satisfies never;
    }
}

function wrappedRows(row: string, columns: number): number {
    const text = stripControls(row);
    if (isPlain(text)) return Math.max(1, Math.ceil(text.length / columns));
    let [count, column] = [1, 0];
    for (const grapheme of graphemes(text)) {
        const width = graphemeWidth(grapheme);
        const isFull = column + width > columns;
        if (isFull) count += 1;
        column = width + (isFull ? 0 : column);
    }
    return count;
}
