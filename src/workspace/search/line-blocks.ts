import { readSync } from "node:fs";

const LEAST_BYTES = 4 * 1024;
const BLOCK_BYTES = 1024 * 1024;
const LINE_FEED = 0x0a;

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
