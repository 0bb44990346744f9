import { readSync } from "node:fs";

const MIN_BYTES = 4 * 1024;
const BLOCK_BYTES = 1024 * 1024;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BYTE_ORDER_MARK = Buffer.from("\uFEFF");

/** Yields blocks of whole lines, each valid until the next one is requested. */
export function lineBlocks(descriptor: number, size: number): Generator<Buffer> {
    // Most files fit in one small read; one extra byte detects the end.
    const bytes = Math.min(Math.max(size + 1, MIN_BYTES), BLOCK_BYTES);
    return lineBlocksFrom(descriptor, 0, bytes);
}

function* lineBlocksFrom(descriptor: number, start: number, bytes: number): Generator<Buffer> {
    let buffer = Buffer.allocUnsafe(bytes);
    let filled = 0;
    let position = start;
    for (;;) {
        if (filled === buffer.length) {
            const larger = Buffer.allocUnsafe(buffer.length * 2);
            buffer.copy(larger, 0, 0, filled);
            buffer = larger;
        }
        const count = readSync(descriptor, buffer, filled, buffer.length - filled, position);
        position += count;
        const end = filled + count;
        if (count === 0) {
            if (end > 0) yield buffer.subarray(0, end);
            return;
        }
        // Only new bytes can hold a line end; the rest was searched before.
        const lastBreak = buffer.subarray(filled, end).lastIndexOf(LINE_FEED);
        if (lastBreak < 0) {
            filled = end;
            continue;
        }
        const whole = filled + lastBreak + 1;
        yield buffer.subarray(0, whole);
        buffer.copyWithin(0, whole, end);
        filled = end - whole;
    }
}

/** Yields the lines of a block from an offset on, without line feeds. */
export function* linesOf(block: Buffer, from: number): Generator<Buffer> {
    let start = from;
    while (start < block.length) {
        const lineFeed = block.indexOf(LINE_FEED, start);
        const end = lineFeed < 0 ? block.length : lineFeed;
        yield block.subarray(start, end);
        start = end + 1;
    }
}

/** Returns the line at `start`, if any, and up to `apart` lines before and after it. */
export function linesAround(
    descriptor: number,
    start: number,
    apart: number
): {
    readonly before: readonly Buffer[];
    readonly line?: Buffer;
    readonly after: readonly Buffer[];
} {
    const { begin, count } = linesBefore(descriptor, start, apart);
    const lines: Buffer[] = [];
    reading: for (const block of lineBlocksFrom(descriptor, begin, MIN_BYTES)) {
        for (const line of linesOf(
            block,
            begin === 0 && lines.length === 0 ? beginningOf(block) : 0
        )) {
            lines.push(Buffer.from(line));
            if (lines.length > count + apart) break reading;
        }
    }
    const line = lines[count];
    return { before: lines.slice(0, count), line, after: lines.slice(count + 1) };
}

/** Returns where the lines before `start` begin; fewer than `wanted` near the start of the file. */
function linesBefore(descriptor: number, start: number, wanted: number) {
    for (let bytes = MIN_BYTES; ; bytes *= 4) {
        const piece = Buffer.allocUnsafe(Math.min(bytes, start));
        const position = start - piece.length;
        readSync(descriptor, piece, 0, piece.length, position);
        const ends: number[] = [];
        let end = piece.indexOf(LINE_FEED);
        for (; end >= 0; end = piece.indexOf(LINE_FEED, end + 1)) ends.push(end);
        const last = ends.at(-1 - wanted);
        if (last !== undefined) return { begin: position + last + 1, count: wanted };
        if (position === 0) return { begin: 0, count: ends.length };
    }
}

/** Where a file's first block begins after its byte order mark. */
export function beginningOf(block: Buffer): number {
    return block.subarray(0, 3).equals(BYTE_ORDER_MARK) ? 3 : 0;
}

export function withoutReturn(line: Buffer): Buffer {
    return line.at(-1) === CARRIAGE_RETURN ? line.subarray(0, -1) : line;
}
