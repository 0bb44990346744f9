import type { FileDiff } from "../../core/approval/approver.js";
import { showControls } from "../terminal/safe-text.js";
import type { Theme } from "../terminal/theme.js";
import { count } from "../render/format.js";

/**
 * The lines of a review: for each file a header with its counts, then its hunks in colour.
 * Invisible characters are shown, so that nothing hides in what is approved.
 */
export function diffLines(diffs: readonly FileDiff[], theme: Theme): string[] {
    return diffs.flatMap((diff) => [fileHeader(diff, theme), ...hunkLines(diff, theme)]);
}

/** The first lines, and a sign of how many follow. */
export function cutLines(
    lines: readonly string[],
    limit: number,
    theme: Theme
): { readonly shown: readonly string[]; readonly rest: readonly string[] } {
    const rest = lines.slice(limit);
    if (rest.length === 0) return { shown: lines, rest };
    const note = theme.quiet(`… ${count(rest.length, "more line")}; v shows the rest`);
    return { shown: [...lines.slice(0, limit), note], rest };
}

function fileHeader(diff: FileDiff, theme: Theme): string {
    const kind = { created: "new file", modified: "", deleted: "deleted" }[diff.kind];
    const counts = `${theme.added(`+${diff.linesAdded}`)} ${theme.removed(`-${diff.linesRemoved}`)}`;
    const note = kind === "" ? "" : theme.quiet(` (${kind})`);
    return `${theme.strong(showControls(diff.path).replaceAll("\n", "^J"))}${note} ${counts}`;
}

function hunkLines({ diff }: FileDiff, theme: Theme): string[] {
    const lines = diff.replace(/\n$/, "").split("\n");
    const firstHunk = lines.findIndex((line) => line.startsWith("@@"));
    const content = firstHunk < 0 ? lines : lines.slice(firstHunk);
    const hidesReturns = content.every((line) => !/^[-+ ]/.test(line) || line.endsWith("\r"));
    return content.map((line) => {
        const text = showControls(hidesReturns ? line.replace(/\r$/, "") : line);
        if (line.startsWith("+")) return theme.added(text);
        if (line.startsWith("-")) return theme.removed(text);
        return line.startsWith("@@") ? theme.hunk(text) : text;
    });
}
