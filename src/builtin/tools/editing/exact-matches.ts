import type { ByteText } from "./byte-text.js";
import type { Span } from "./lines.js";

/**
 * Where a text occurs exactly. LF in it matches LF and CRLF; all else matches itself alone. With
 * `overlapping` also what begins inside an earlier match. An empty needle never matches.
 */
export function* exactMatches(
    text: ByteText,
    wanted: ByteText,
    { overlapping = false } = {}
): Generator<Span> {
    if (wanted === "") return;

    const find = finder(text, wanted);
    for (let match = find(0); match !== undefined;) {
        yield match;
        match = find(overlapping ? match.start + 1 : match.end);
    }
}

/** The first matches and how many there are in all. */
export function countMatches(
    matches: Iterable<Span>,
    keep: number
): { readonly count: number; readonly first: readonly Span[] } {
    const first: Span[] = [];
    let count = 0;
    for (const match of matches) {
        count += 1;
        if (first.length < keep) first.push(match);
    }
    return { count, first };
}

function finder(text: ByteText, wanted: ByteText): (from: number) => Span | undefined {
    if (wanted.includes("\n") && text.includes("\r\n")) return finderAcrossBreaks(text, wanted);

    return (from) => {
        const start = text.indexOf(wanted, from);
        return start === -1 ? undefined : { start, end: start + wanted.length };
    };
}

/**
 * Looks in a copy with LF alone and counts back to the places in the text. A regular expression would
 * do it in less code, and would need hours for some pairs of texts.
 */
function finderAcrossBreaks(text: ByteText, wanted: ByteText): (from: number) => Span | undefined {
    const file = plainBreaks(text);
    const sought = plainBreaks(wanted);
    const isCrLf = (start: number, at: number): boolean => text[file.offsetOf(start + at)] === "\r";
    return (from) => {
        let start = file.plain.indexOf(sought.plain, file.indexOf(from));
        // A CRLF in the wanted text means CRLF and nothing else.
        while (start !== -1 && !sought.breaks.every((at) => isCrLf(start, at))) {
            start = file.plain.indexOf(sought.plain, start + 1);
        }

        return start === -1
            ? undefined
            : {
                  start: file.offsetOf(start),
                  end: file.offsetOf(start + sought.plain.length),
              };
    };
}

interface PlainBreaks {
    readonly plain: ByteText;
    /** Where in `plain` the LFs are that were CRLF. */
    readonly breaks: readonly number[];
    /** From a place in `plain` to the same in the text. */
    offsetOf(index: number): number;
    /** And back; within a CRLF it is the place behind. */
    indexOf(offset: number): number;
}

function plainBreaks(text: ByteText): PlainBreaks {
    const breaks: number[] = [];
    for (let at = text.indexOf("\r\n"); at !== -1; at = text.indexOf("\r\n", at + 2)) {
        breaks.push(at - breaks.length);
    }

    return {
        plain: text.replaceAll("\r\n", "\n"),
        breaks,
        offsetOf: (index) => index + firstAtLeast(breaks, (place) => place >= index),
        indexOf: (offset) => {
            const before = firstAtLeast(breaks, (place, count) => place + count >= offset);
            const isWithin = (breaks[before - 1] ?? -2) + before === offset;
            return offset - before + (isWithin ? 1 : 0);
        },
    };
}

/** Binary search: how many come before the first for which it is true. */
function firstAtLeast(
    places: readonly number[],
    isReached: (place: number, index: number) => boolean
): number {
    let [low, high] = [0, places.length];
    while (low < high) {
        const middle = (low + high) >> 1;
        if (isReached(places[middle] ?? 0, middle)) high = middle;
        else low = middle + 1;
    }
    return low;
}
