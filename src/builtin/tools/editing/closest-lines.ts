import { distance } from "fastest-levenshtein";
import { decoded, type ByteText } from "./byte-text.js";
import { differenceAt, type NearMiss } from "./near-miss.js";

interface CloseLine {
    /** 1-based. */
    readonly line: number;
    readonly text: ByteText;
    readonly share: number;
}

const MAX_LINES = 3;
/** Max lines to compute the edit distance for, which is slower than comparing bigrams. */
const MAX_CANDIDATES = 20;
const MIN_SHARE = 0.6;
/** Max characters compared: a line may be a whole minified file. */
const MAX_LINE_LENGTH = 2000;

/** Finds the lines most similar to the first line of the text. */
export function findClosestLines(
    fileLines: readonly ByteText[],
    wanted: ByteText
): NearMiss | undefined {
    const [first = ""] = wanted.split("\n").filter((line) => line.trim().length > 2);
    const close = closestLines(fileLines, first);
    const [closest] = close;
    if (closest === undefined) return undefined;

    const yours = decoded(first).trim();
    const places = close.map(({ line, text }) => {
        const file = decoded(text.slice(0, 4000)).trimEnd();
        return differenceAt(line, yours, file, bestOffset(yours, file)) ?? { line, preview: yours };
    });
    return { reason: `the closest line is line ${closest.line}`, line: closest.line, places };
}

/**
 * Returns the lines that share the most bigrams with `wanted`, most similar first. Finds bigrams in
 * one pass over the file, which may have 10 MB.
 */
function closestLines(fileLines: readonly ByteText[], wanted: ByteText): readonly CloseLine[] {
    const line = beginningOf(wanted);
    const pairs = pairsIn(line);
    if (pairs.size < 2) return [];

    const best: CloseLine[] = [];
    fileLines.forEach((text, index) => {
        if (text.length < line.length / 2) return;
        const share = pairsIn(text, pairs).size / pairs.size;
        if (share < MIN_SHARE || share <= (best.at(MAX_CANDIDATES - 1)?.share ?? 0)) return;
        best.push({ line: index + 1, text, share });
        best.sort((one, other) => other.share - one.share).splice(MAX_CANDIDATES);
    });
    return best
        .map((close) => ({ ...close, away: distance(beginningOf(close.text), line) }))
        .sort((one, other) => one.away - other.away)
        .slice(0, MAX_LINES);
}

function beginningOf(text: ByteText): ByteText {
    return text.trim().slice(0, MAX_LINE_LENGTH);
}

/** Returns a text's lower-case bigrams; if `known` is given, only those in it. */
function pairsIn(text: ByteText, known?: ReadonlySet<number>): Set<number> {
    const pairs = new Set<number>();
    for (let at = 1; at < text.length && at < MAX_LINE_LENGTH; at++) {
        const pair = (lowerCase(text.charCodeAt(at - 1)) << 8) | lowerCase(text.charCodeAt(at));
        if (known === undefined || known.has(pair)) pairs.add(pair);
    }
    return pairs;
}

function lowerCase(code: number): number {
    return code >= 65 && code <= 90 ? code + 32 : code;
}

/** Returns the offset in `file` with the longest common prefix with `yours`. */
function bestOffset(yours: string, file: string): number {
    let best = { offset: 0, length: 0 };
    for (let offset = 0; offset < file.length && best.length < yours.length; offset++) {
        let length = 0;
        while (length < yours.length && yours[length] === file[offset + length]) length += 1;
        if (length > best.length) best = { offset, length };
    }
    // Differences are counted in characters.
    return [...file.slice(0, best.offset)].length;
}
