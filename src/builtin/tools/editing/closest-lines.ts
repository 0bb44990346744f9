import type { ByteText } from "./byte-text.js";

/** A line that has much in common with the one wanted. */
export interface CloseLine {
    /** 1-based. */
    readonly line: number;
    readonly text: ByteText;
    /** From 0 to 1. */
    readonly score: number;
}

const MAX_LINES = 3;
const LEAST_SCORE = 0.6;
/** A line may be a whole minified file; its beginning is enough to tell. */
const LONGEST_LINE = 2000;
const PAIRS = 0x10000;

/**
 * The lines that contain most of the pairs of neighbouring characters of a line. One pass over the
 * file with a table of pairs: it takes as long for 10 MB as it takes to read them.
 */
export function closestLines(
    fileLines: readonly ByteText[],
    wanted: ByteText
): readonly CloseLine[] {
    const line = wanted.trim().slice(0, LONGEST_LINE);
    const isWanted = new Uint8Array(PAIRS);
    let pairs = 0;
    for (let at = 1; at < line.length; at++) {
        const pair = pairAt(line, at);
        pairs += isWanted[pair] === 0 ? 1 : 0;
        isWanted[pair] = 1;
    }
    if (pairs < 2) return [];

    const best: CloseLine[] = [];
    const seenIn = new Uint32Array(PAIRS);
    fileLines.forEach((text, index) => {
        const score = scoreOf(text, line, pairs, isWanted, seenIn, index + 1);
        if (score > (best.at(MAX_LINES - 1)?.score ?? 0)) {
            best.push({ line: index + 1, text, score });
            best.sort((one, other) => other.score - one.score).splice(MAX_LINES);
        }
    });
    return best;
}

function scoreOf(
    text: ByteText,
    wanted: ByteText,
    pairs: number,
    isWanted: Uint8Array,
    seenIn: Uint32Array,
    mark: number
): number {
    const length = Math.min(text.length, LONGEST_LINE);
    if (length < wanted.length / 2) return 0;

    let hits = 0;
    for (let at = 1; at < length; at++) {
        const pair = pairAt(text, at);
        if (isWanted[pair] === 1 && seenIn[pair] !== mark) {
            seenIn[pair] = mark;
            hits += 1;
        }
    }
    // Among lines that contain the same, the shorter is the closer, and the one that begins and ends
    // like the text.
    const share = hits / pairs;
    return share < LEAST_SCORE
        ? 0
        : share *
              (0.7 + 0.2 * Math.min(1, wanted.length / length) + 0.1 * sharedEnds(text, wanted));
}

/** How much of a text is the same from its beginning and to its end, from 0 to 1. */
function sharedEnds(text: ByteText, wanted: ByteText): number {
    const line = text.trim();
    let [head, tail] = [0, 0];
    while (head < wanted.length && line[head] === wanted[head]) head += 1;

    while (tail < wanted.length - head && line.at(-1 - tail) === wanted.at(-1 - tail)) tail += 1;

    return (head + tail) / wanted.length;
}

function pairAt(text: string, at: number): number {
    return (lowerCase(text.charCodeAt(at - 1)) << 8) | lowerCase(text.charCodeAt(at));
}

function lowerCase(code: number): number {
    return code >= 65 && code <= 90 ? code + 32 : code & 0xff;
}
