import type { SearchMatch, SearchResult } from "../../../plugin/index.js";

/** Groups matches under their file's name, `12: text`, with context as `11- text`. */
export function renderMatches({ matches, truncated, total }: SearchResult): string {
    if (matches.length === 0) return "No matches.";
    const lines = matches.flatMap((match, index) => {
        const before = sameFile(matches[index - 1], match);
        const after = sameFile(matches[index + 1], match);
        return [
            ...(before ? [] : [match.path]),
            ...linesOf(match, before && lastLine(before), after?.line),
        ];
    });
    if (truncated) lines.push(`[${matches.length} of ${total ?? "more"} matches]`);
    return lines.join("\n");
}

function sameFile(other: SearchMatch | undefined, { path }: SearchMatch) {
    return other?.path === path ? other : undefined;
}

function lastLine({ line, context }: SearchMatch): number {
    return line + (context?.after.length ?? 0);
}

/** Prints context shared by neighbouring matches only once. */
function linesOf(
    { line, preview, context = { before: [], after: [] } }: SearchMatch,
    above = 0,
    below = Infinity
): string[] {
    const { before, after } = context;
    const contextLines = (texts: readonly string[], first: number) =>
        texts.flatMap((text, index) => {
            const at = first + index;
            return at > above && at < below ? [`${at}- ${text}`] : [];
        });
    return [
        ...contextLines(before, line - before.length),
        `${line}: ${preview}`,
        ...contextLines(after, line + 1),
    ];
}
