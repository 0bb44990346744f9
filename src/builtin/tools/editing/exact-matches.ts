import { countBelow } from "../../../base/count-below.js";
import type { ByteText } from "./byte-text.js";
import type { Span } from "./lines.js";

/**
 * Yields exact occurrences. LF matches LF and CRLF; anything else matches only itself. With
 * `overlapping`, includes for each match the first that starts inside of it: all of them may be as
 * many as the text has characters. An empty needle never matches.
 */
export function* exactMatches(
    text: ByteText,
    wanted: ByteText,
    { overlapping = false } = {}
): Generator<Span> {
    if (wanted === "") return;

    // What has no LF of its own is searched as it is.
    const isAcrossBreaks = /(?<!\r)\n/.test(wanted) && text.includes("\r\n");
    const read = isAcrossBreaks ? withPlainBreaks : unmapped;
    const [file, sought] = [read(text), read(wanted)];
    const { length } = sought.plain;
    let end = 0;
    for (let start = file.plain.indexOf(sought.plain); start !== -1;) {
        // CRLF in the wanted text matches only CRLF.
        const isMatch = sought.breaks.every((at) => text[file.offsetOf(start + at)] === "\r");
        if (isMatch) yield { start: file.offsetOf(start), end: file.offsetOf(start + length) };
        const isInside = start < end;
        if (isMatch && !isInside) end = start + length;
        const next = isMatch && (isInside || !overlapping) ? end : start + 1;
        // Spares a comparison at each place of a run of LFs.
        const [first = 0] = isMatch ? [] : sought.breaks;
        const aligned = file.breaks[countBelow(file.breaks, next + first)] ?? Infinity;
        start = file.plain.indexOf(sought.plain, isMatch ? next : aligned - first);
    }
}

/** Returns the first `keep` matches and the total count. */
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

interface PlainText {
    readonly plain: ByteText;
    /** Offsets in `plain` of LFs that were CRLF. */
    readonly breaks: readonly number[];
    /** Maps an offset in `plain` to one in the text. */
    readonly offsetOf: (index: number) => number;
}

function unmapped(text: ByteText): PlainText {
    return { plain: text, breaks: [], offsetOf: (index) => index };
}

/**
 * Normalizes CRLF to LF for the search, with a mapping back to the text. A regex would be shorter,
 * but takes hours for some inputs.
 */
function withPlainBreaks(text: ByteText): PlainText {
    const breaks: number[] = [];
    for (let at = text.indexOf("\r\n"); at !== -1; at = text.indexOf("\r\n", at + 2)) {
        breaks.push(at - breaks.length);
    }
    return {
        plain: text.replaceAll("\r\n", "\n"),
        breaks,
        offsetOf: (index) => index + countBelow(breaks, index),
    };
}
