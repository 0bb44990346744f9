import type { ByteText } from "./byte-text.js";

/** A place in a text, by offsets. */
export interface Match {
    readonly start: number;
    readonly end: number;
}

/**
 * Where a text occurs exactly. LF in it matches LF and CRLF; all else matches itself alone. With
 * `overlapping` also what begins inside an earlier match. Nothing occurs nowhere.
 */
export function* exactMatches(
    text: ByteText,
    wanted: ByteText,
    { overlapping = false } = {}
): Generator<Match> {
    if (wanted === "") {
        return;
    }
    const find = finder(text, wanted);
    for (let match = find(0); match !== undefined;) {
        yield match;
        match = find(overlapping ? match.start + 1 : match.end);
    }
}

/** The first matches and how many there are in all. */
export function countMatches(
    matches: Iterable<Match>,
    keep: number
): { readonly count: number; readonly first: readonly Match[] } {
    const first: Match[] = [];
    let count = 0;
    for (const match of matches) {
        count += 1;
        if (first.length < keep) {
            first.push(match);
        }
    }
    return { count, first };
}

function finder(text: ByteText, wanted: ByteText): (from: number) => Match | undefined {
    if (!wanted.includes("\n") || !text.includes("\r\n")) {
        return (from) => {
            const start = text.indexOf(wanted, from);
            return start === -1 ? undefined : { start, end: start + wanted.length };
        };
    }
    const pattern = new RegExp(
        wanted
            .split(/(\r\n|\n)/)
            .map(asPattern)
            .join(""),
        "g"
    );
    return (from) => {
        pattern.lastIndex = from;
        const found = pattern.exec(text);
        return found === null
            ? undefined
            : { start: found.index, end: found.index + found[0].length };
    };
}

function asPattern(piece: string): string {
    // Not within a CRLF: its LF is half a line break, not one of its own.
    return piece === "\n" ? "(?:\\r\\n|(?<!\\r)\\n)" : escapePattern(piece);
}

/** A text as a regular expression that matches it alone. */
export function escapePattern(text: string): string {
    return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
