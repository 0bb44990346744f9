import { failure } from "../results.js";
import { shortenAround, shortenLine } from "../../../code/text/line-window.js";
import type { TextFile } from "../../../code/text/text-file.js";
import type { ToolFailure } from "../../../plugin/index.js";

const MAX_CANDIDATES = 20;
const PREVIEW_LENGTH = 120;

export function matchingLines(lines: readonly string[], anchor: string): readonly number[] {
    return lines.flatMap((line, index) => (line.includes(anchor) ? [index + 1] : []));
}

export function anchorNotFound(file: TextFile, anchor: string): ToolFailure {
    const spansLines = anchor.includes("\n");
    return failure(
        "anchor-not-found",
        `No line of ${file.path} contains ${JSON.stringify(shortenLine(anchor, PREVIEW_LENGTH))}.`,
        spansLines
            ? "An anchor must be on one line: give part of a line."
            : "Find the exact text with search_text (file: this path) first."
    );
}

/**
 * Returns the failure if several lines contain the anchor, or fewer than the requested occurrence.
 */
export function anchorAmbiguous(
    file: TextFile,
    anchor: string,
    matches: readonly number[],
    message: string
): ToolFailure {
    const candidates = matches.slice(0, MAX_CANDIDATES).map((line, index) => {
        const text = (file.lines[line - 1] ?? "").trim();
        const preview = shortenAround(text, text.indexOf(anchor), PREVIEW_LENGTH);
        return { occurrence: index + 1, line, preview };
    });
    const cut =
        matches.length > candidates.length ? ` (the first ${candidates.length} listed)` : "";
    return failure(
        "ambiguous-anchor",
        `${message}${cut}`,
        "Give `occurrence`, or a longer anchor.",
        candidates
    );
}
