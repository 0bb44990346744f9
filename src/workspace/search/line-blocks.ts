import { readSync } from "node:fs";

const LEAST_BYTES = 4 * 1024;
const BLOCK_BYTES = 1024 * 1024;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BYTE_ORDER_MARK = Buffer.from("\uFEFF");

/**
 * Reads an open file as blocks of whole lines, from its beginning. A block is as long as its
 * longest line needs, and valid until the next one is asked for.
 */
export function* lineBlocks(descriptor: number, size: number): Generator<Buffer> {
    // Most files fit in one small read; one byte more shows that this was all.
    let buffer = Buffer.allocUnsafe(Math.min(Math.max(size + 1, LEAST_BYTES), BLOCK_BYTES));
    let filled = 0;
    let position = 0;
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
        // Only what is new can hold a line's end: the rest was searched before.
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

/** The lines of a block without their line feeds, and without a byte order mark. */
export function* linesOf(block: Buffer, isFirstBlock: boolean): Generator<Buffer> {
    let start = beginningOf(block, isFirstBlock);
    while (start < block.length) {
        const lineFeed = block.indexOf(LINE_FEED, start);
        const end = lineFeed < 0 ? block.length : lineFeed;
        yield block.subarray(start, end);
        start = end + 1;
    }
}

/** How many lines a block has: many times as fast as `linesOf`. */
export function countLines(block: Uint8Array): number {
    let lines = block.at(-1) === LINE_FEED ? 0 : 1;
    for (let index = 0; index < block.length; index += 1) {
        if (block[index] === LINE_FEED) lines += 1;
    }
    return lines;
}

/** The lines with these ascending numbers, the first of the block being 1. */
export function* linesAt(
    block: Buffer,
    numbers: readonly number[],
    isFirstBlock: boolean
): Generator<readonly [number, Buffer]> {
    let start = beginningOf(block, isFirstBlock);
    let at = 1;
    for (const number of numbers) {
        for (; at < number; at += 1) start = block.indexOf(LINE_FEED, start) + 1;
        const lineFeed = block.indexOf(LINE_FEED, start);
        yield [number, block.subarray(start, lineFeed < 0 ? block.length : lineFeed)];
    }
}

function beginningOf(block: Buffer, isFirstBlock: boolean): number {
    return isFirstBlock && block.subarray(0, 3).equals(BYTE_ORDER_MARK) ? 3 : 0;
}

/** The line without the CR of CR LF. */
export function withoutReturn(line: Buffer): Buffer {
    return line.at(-1) === CARRIAGE_RETURN ? line.subarray(0, -1) : line;
}
