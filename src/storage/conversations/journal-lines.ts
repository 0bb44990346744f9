import { isUtf8 } from "node:buffer";
import { constants } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { asReadError } from "../files/storage-error.js";

/** Most logs fit in one chunk; larger files get growing chunks. */
const FIRST_CHUNK_BYTES = 64 * 1024;
const LARGEST_CHUNK_BYTES = 4 * 1024 * 1024;
const NEWLINE = 10;

export interface ByteRange {
    /** Byte to start from, which must begin a line; default 0. */
    readonly from?: number;
    /** Byte to stop at, just after a newline; default end of file. */
    readonly to?: number;
    /** Skips lines that do not contain this text. */
    readonly containing?: string;
    /** Whether to accept a last line without a newline. */
    readonly withTornLine?: boolean;
    /** Line prefixes to skip without parsing. */
    readonly skip?: readonly string[];
}

/**
 * Reads a JSON Lines file and calls `onLine` with each parsed line and the offset after it. Calls
 * `onDamage` for lines that are not JSON in UTF-8; skips empty lines. Resolves with the offset
 * after the last newline.
 */
export async function readJsonLines(
    file: string,
    { from = 0, to = Infinity, containing = "", withTornLine = false, skip = [] }: ByteRange,
    onLine: (value: unknown, end: number) => void,
    onDamage: (isTorn: boolean) => void
): Promise<number> {
    // Opening a FIFO would wait for a writer; so, reading it fails.
    const { O_RDONLY, O_NONBLOCK } = constants;
    const handle = await open(file, O_RDONLY | O_NONBLOCK).catch((error: unknown) => {
        throw asReadError(error, file);
    });
    const longest = Math.max(0, ...skip.map((start) => start.length));
    const take = (bytes: Buffer, end: number, isTorn: boolean) => {
        const head = bytes.toString("latin1", 0, longest);
        if (skip.some((start) => head.startsWith(start))) return;
        const value = parseLine(bytes);
        if (value.kind === "value") onLine(value.value, end);
        else if (value.kind === "damaged") onDamage(isTorn);
    };
    try {
        let rest = Buffer.alloc(0);
        let position = from;
        let chunkBytes = FIRST_CHUNK_BYTES;
        for (;;) {
            const wanted = Math.min(Math.max(chunkBytes, rest.length), to - position);
            const buffer = Buffer.allocUnsafe(rest.length + wanted);
            rest.copy(buffer);
            const { bytesRead } = await readAt(
                handle,
                file,
                buffer.subarray(rest.length),
                position
            );
            if (bytesRead === 0) break;
            const start = position - rest.length;
            position += bytesRead;
            chunkBytes = Math.min(2 * chunkBytes, LARGEST_CHUNK_BYTES);
            const filled = buffer.subarray(0, rest.length + bytesRead);
            const taken = takeLines(filled, containing, (line, end) =>
                take(line, start + end, false)
            );
            rest = filled.subarray(taken);
        }
        if (withTornLine && rest.length > 0) take(rest, position, true);
        return position - rest.length;
    } finally {
        await handle.close();
    }
}

/** Fills the buffer. A folder can be opened, but reading it throws. */
async function readAt(handle: FileHandle, file: string, buffer: Buffer, position: number) {
    try {
        return await handle.read(buffer, 0, buffer.length, position);
    } catch (error) {
        throw asReadError(error, file);
    }
}

/** Calls `take` for each complete line; returns the offset of the incomplete one. */
function takeLines(
    bytes: Buffer,
    containing: string,
    take: (line: Buffer, end: number) => void
): number {
    const complete = bytes.lastIndexOf(NEWLINE) + 1;
    let start = 0;
    while (start < complete) {
        if (containing !== "") {
            const found = bytes.indexOf(containing, start);
            if (found === -1 || found >= complete) break;
            start = bytes.lastIndexOf(NEWLINE, found) + 1;
        }
        const end = bytes.indexOf(NEWLINE, start);
        take(bytes.subarray(start, end), end + 1);
        start = end + 1;
    }
    return complete;
}

type ParsedLine = { kind: "value"; value: unknown } | { kind: "empty" } | { kind: "damaged" };

function parseLine(line: Buffer): ParsedLine {
    if (line.length === 0) return { kind: "empty" };
    // Decoding would replace invalid UTF-8 and hide damage inside a string.
    if (!isUtf8(line)) return { kind: "damaged" };
    try {
        return { kind: "value", value: JSON.parse(line.toString("utf8")) };
    } catch {
        return { kind: "damaged" };
    }
}
