import { createHash } from "node:crypto";
import { isByteText } from "../base/binary.js";
import { NorthError } from "../base/north-error.js";
import { Recent } from "../base/recent.js";
import type { FileLines } from "../plugin/workspace.js";
import type { OpenFile } from "./open-file.js";
import { settledStamp } from "./settled-stamp.js";

/** Computed on the first full read, so that later ranges cost only themselves. */
interface LineIndex {
    readonly stamp: string | undefined;
    readonly hash: string;
    readonly totalLines: number;
    /** Offset of every `LINES_APART`th line, starting with the first. */
    readonly starts: readonly number[];
}

const LINES_APART = 1024;
const CHUNK_BYTES = 256 * 1024;
/** Max size of a range, which is read into memory. */
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_FILES = 32;
const LINE_FEED = 0x0a;

/** Reads line ranges from files of any size, in bounded memory. */
export class LineReader {
    private readonly known = new Recent<LineIndex>(MAX_FILES);

    /** Rejects with `binary-file` (also for UTF-16), and with `too-large` for the range. */
    async read(
        file: OpenFile,
        range: { readonly start: number; readonly end: number },
        signal?: AbortSignal
    ): Promise<FileLines> {
        const { hash, totalLines, starts } = await this.indexOf(file, signal);
        const { path, stats } = file;
        const facts = { path, hash, sizeBytes: stats.size, totalLines };
        if (range.start > totalLines || range.end < range.start) {
            return { ...facts, bytes: new Uint8Array() };
        }
        const step = Math.floor((range.start - 1) / LINES_APART);
        const chunks: Buffer[] = [];
        let length = 0;
        let line = step * LINES_APART + 1;
        for await (const { bytes } of chunksOf(file, starts[step] ?? 0, signal)) {
            let begin = line < range.start ? undefined : 0;
            let at = 0;
            while (line <= range.end) {
                const feed = bytes.indexOf(LINE_FEED, at);
                if (feed < 0) break;
                line += 1;
                at = feed + 1;
                if (line === range.start) begin = at;
            }
            const end = line > range.end ? at : bytes.length;
            if (begin !== undefined) {
                chunks.push(Buffer.from(bytes.subarray(begin, end)));
                length += end - begin;
            }
            if (length > MAX_BYTES) throw rangeTooLarge(path);
            if (line > range.end) break;
        }
        return { ...facts, bytes: Buffer.concat(chunks) };
    }

    private async indexOf(file: OpenFile, signal: AbortSignal | undefined): Promise<LineIndex> {
        const { absolute, stats } = file;
        const stamp = settledStamp(stats);
        const known = this.known.get(absolute);
        if (stamp !== undefined && known?.stamp === stamp) return known;
        const index = { stamp, ...(await scan(file, signal)) };
        this.known.set(absolute, index);
        return index;
    }
}

async function scan(
    file: OpenFile,
    signal: AbortSignal | undefined
): Promise<Omit<LineIndex, "stamp">> {
    const hash = createHash("sha256");
    const starts = [0];
    let feeds = 0;
    let last = LINE_FEED;
    for await (const { bytes, position } of chunksOf(file, 0, signal)) {
        if (position === 0) requireLines(bytes, file.path);
        hash.update(bytes);
        for (let index = 0; index < bytes.length; index++) {
            if (bytes[index] === LINE_FEED && ++feeds % LINES_APART === 0) {
                starts.push(position + index + 1);
            }
        }
        last = bytes.at(-1) ?? last;
    }
    const totalLines = feeds + (last === LINE_FEED ? 0 : 1);
    return { hash: hash.digest("hex"), totalLines, starts };
}

/** Each chunk is valid only until the next one is requested. */
async function* chunksOf(
    { handle }: OpenFile,
    start: number,
    signal: AbortSignal | undefined
): AsyncGenerator<{ readonly bytes: Buffer; readonly position: number }> {
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    let position = start;
    for (;;) {
        signal?.throwIfAborted();
        const { bytesRead } = await handle.read(buffer, 0, buffer.length, position);
        if (bytesRead === 0) return;
        yield { bytes: buffer.subarray(0, bytesRead), position };
        position += bytesRead;
    }
}

function requireLines(bytes: Uint8Array, path: string): void {
    if (isByteText(bytes)) return;
    throw new NorthError("binary-file", `${path} cannot be read by line numbers.`);
}

function rangeTooLarge(path: string): NorthError {
    return new NorthError("too-large", `These lines of ${path} exceed 64 MB.`, [
        "Ask for fewer lines, or search in the file.",
    ]);
}
