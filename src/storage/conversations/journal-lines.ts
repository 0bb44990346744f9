import { isUtf8 } from "node:buffer";
import { open } from "node:fs/promises";
import { asReadError } from "../files/storage-error.js";

const CHUNK_BYTES = 4 * 1024 * 1024;
const NEWLINE = 10;

export interface LineRange {
    /** The byte to start from, the first of a line; 0 unless told otherwise. */
    readonly from?: number;
    /** Whether text after the last newline counts as a line too. */
    readonly withTornLine?: boolean;
    /** Lines that begin with one of these are passed over unparsed. */
    readonly skip?: readonly string[];
}

/**
 * Reads a file of JSON lines and hands each parsed line to `onLine`; what is not JSON in UTF-8 goes
 * to `onDamage`, empty lines are passed over. Resolves with the byte after the last newline.
 */
export async function readJsonLines(
    file: string,
    { from = 0, withTornLine = false, skip = [] }: LineRange,
    onLine: (value: unknown) => void,
    onDamage: (isTorn: boolean) => void
): Promise<number> {
    const handle = await open(file, "r").catch((error: unknown) => {
        throw asReadError(error, file);
    });
    const skipped = skip.map((start) => Buffer.from(start));
    const take = (bytes: Buffer, isTorn: boolean) => {
        if (skipped.some((start) => bytes.subarray(0, start.length).equals(start))) return;
        const value = parseLine(bytes);
        if (value.kind === "value") onLine(value.value);
        else if (value.kind === "damaged") onDamage(isTorn);
    };
    try {
        let rest = Buffer.alloc(0);
        let position = from;
        for (;;) {
            const buffer = Buffer.allocUnsafe(rest.length + CHUNK_BYTES);
            rest.copy(buffer);
            const { bytesRead } = await handle.read(buffer, rest.length, CHUNK_BYTES, position);
            if (bytesRead === 0) break;
            position += bytesRead;
            const filled = buffer.subarray(0, rest.length + bytesRead);
            rest = filled.subarray(takeLines(filled, (line) => take(line, false)));
        }
        if (withTornLine && rest.length > 0) take(rest, true);
        return position - rest.length;
    } finally {
        await handle.close();
    }
}

/** Hands on each complete line; returns where the incomplete one begins. */
function takeLines(bytes: Buffer, take: (line: Buffer) => void): number {
    let start = 0;
    for (;;) {
        const end = bytes.indexOf(NEWLINE, start);
        if (end === -1) return start;
        take(bytes.subarray(start, end));
        start = end + 1;
    }
}

type ParsedLine = { kind: "value"; value: unknown } | { kind: "empty" } | { kind: "damaged" };

function parseLine(line: Buffer): ParsedLine {
    if (line.length === 0) return { kind: "empty" };
    // Decoding replaces bytes that are not UTF-8, which would hide the damage inside a string.
    if (!isUtf8(line)) return { kind: "damaged" };
    try {
        return { kind: "value", value: JSON.parse(line.toString("utf8")) };
    } catch {
        return { kind: "damaged" };
    }
}
