import { isUtf8 } from "node:buffer";
import type { FileContent, FileLines, Workspace } from "../../plugin/index.js";
import { isByteText, wideEncoding } from "../../base/binary.js";
import { counted } from "../../base/format.js";
import { isExpectedError, NorthError } from "../../base/north-error.js";
import type { LineRange } from "./line-range.js";

/** Enough for a log; files read or edited as a whole are held in memory. */
export const MAX_FILE_BYTES = 64 * 1024 * 1024;

interface Text {
    /** Without line breaks (LF or CRLF); a final line without one counts. */
    readonly lines: readonly string[];
    /** How the text differs from the bytes on disk, if it matters. */
    readonly note?: string;
}

export type TextFile = Text & Pick<FileLines, "path" | "hash" | "sizeBytes" | "ignored">;

/** Reads a text file. Rejects with `binary-file`, or like `workspace.read`. */
export async function readTextFile(workspace: Workspace, path: string): Promise<TextFile> {
    return textFileOf(await workspace.read(path, { maxBytes: MAX_FILE_BYTES }));
}

/** Decodes a file as text. Throws `binary-file`. */
export function textFileOf(file: FileContent): TextFile {
    const text = decodeText(file.bytes);
    if (text === undefined) {
        throw new NorthError(
            "binary-file",
            `${file.path} is a binary file (${counted(file.bytes.length, "byte")}); only text can be read.`
        );
    }
    const { path: name, hash, bytes, ignored } = file;
    return { path: name, hash, sizeBytes: bytes.length, ...text, ...(ignored && { ignored }) };
}

/** Reads lines, from 1, of a file of any size; `undefined` if it needs `readTextFile`. */
export async function readTextLines(
    workspace: Workspace,
    path: string,
    range: LineRange,
    signal: AbortSignal
): Promise<(Text & Omit<FileLines, "bytes">) | undefined> {
    try {
        const { bytes, ...facts } = await workspace.readLines(path, range, { signal });
        return { ...facts, ...decodeUtf8(bytes) };
    } catch (error) {
        if (isExpectedError(error) && error.code === "binary-file") return undefined;
        throw error;
    }
}

/** Decodes a text; `undefined` if the bytes are binary. */
export function decodeText(bytes: Uint8Array): Text | undefined {
    const wide = wideEncoding(bytes);
    if (wide !== undefined) {
        return { lines: splitLines(new TextDecoder(wide).decode(bytes)), note: `Read as ${wide}.` };
    }

    return isByteText(bytes) ? decodeUtf8(bytes) : undefined;
}

function decodeUtf8(bytes: Uint8Array): Text {
    const lines = splitLines(new TextDecoder("utf-8").decode(bytes));
    return isUtf8(bytes) ? { lines } : { lines, note: "Not UTF-8: invalid bytes are shown as �." };
}

/** `"a\nb\n"` and `"a\nb"` have two lines, `""` none. */
export function splitLines(text: string): string[] {
    if (text === "") return [];
    const lines = text.split(/\r?\n/);
    if (text.endsWith("\n")) lines.pop();
    return lines;
}
