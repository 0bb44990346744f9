const LINE_FEED = 0x0a;
const CHUNK_BYTES = 64 * 1024;

/** Two versions of a text without what they have in common above and below. */
export interface ChangedPart {
    readonly before: Uint8Array;
    readonly after: Uint8Array;
    /** How many lines were left out above. */
    readonly linesAbove: number;
}

/**
 * What differs, in whole lines, with `context` equal lines above and below: a small change need not
 * take all of a large file apart.
 */
export function changedPart(before: Uint8Array, after: Uint8Array, context: number): ChangedPart {
    const shorter = Math.min(before.length, after.length);
    const changeStart = lineStart(before, equalAbove(before, after, shorter));
    const equalBytes = equalBelow(before, after, shorter - changeStart);
    let start = changeStart;
    for (let line = 0; line < context; line += 1) start = lineStart(before, start - 1);
    // The first of the equal bytes below may belong to a line that is not equal as a whole.
    let end = before.length - equalBytes;
    for (let line = 0; line <= context && end < before.length; line += 1) {
        const feed = before.indexOf(LINE_FEED, end);
        end = feed < 0 ? before.length : feed + 1;
    }
    const below = before.length - end;
    return {
        before: before.subarray(start, end),
        after: after.subarray(start, after.length - below),
        linesAbove: countLines(before, start),
    };
}

function lineStart(bytes: Uint8Array, offset: number): number {
    return offset <= 0 ? 0 : bytes.lastIndexOf(LINE_FEED, offset - 1) + 1;
}

function equalAbove(before: Uint8Array, after: Uint8Array, most: number): number {
    let at = 0;
    while (at < most) {
        const end = Math.min(at + CHUNK_BYTES, most);
        if (Buffer.compare(before.subarray(at, end), after.subarray(at, end)) !== 0) break;
        at = end;
    }
    while (at < most && before[at] === after[at]) at += 1;
    return at;
}

function equalBelow(before: Uint8Array, after: Uint8Array, most: number): number {
    const part = (bytes: Uint8Array, from: number, to: number) =>
        bytes.subarray(bytes.length - to, bytes.length - from);
    let count = 0;
    while (count < most) {
        const next = Math.min(count + CHUNK_BYTES, most);
        if (Buffer.compare(part(before, count, next), part(after, count, next)) !== 0) break;
        count = next;
    }
    while (count < most && before.at(-1 - count) === after.at(-1 - count)) count += 1;
    return count;
}

function countLines(bytes: Uint8Array, end: number): number {
    let lines = 0;
    for (let index = 0; index < end; index += 1) if (bytes[index] === LINE_FEED) lines += 1;
    return lines;
}
