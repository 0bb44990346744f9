import { constants, existsSync } from "node:fs";
import { open, stat } from "node:fs/promises";
import path from "node:path";
import { messageOf } from "../../base/system-error.js";
import { mediaRefusal, mediaTypeOf } from "../../base/media-type.js";
import { NorthError } from "../../base/north-error.js";

/** Only the start of larger texts is previewed. */
const MAX_TEXT_BYTES = 10 * 1024 * 1024;
export type NamedFile =
    | { readonly kind: "folder" }
    | { readonly kind: "image"; readonly mediaType: string; readonly bytes: Buffer }
    | { readonly kind: "content"; readonly bytes: Buffer; readonly size: number };

/** Rejects with `not-a-file`, `image-too-large` or `not-readable`. */
export async function readNamedFile(absolute: string): Promise<NamedFile> {
    try {
        const status = await stat(absolute);
        if (status.isDirectory()) return { kind: "folder" };
        // Never open a device or a FIFO.
        if (!status.isFile()) throw notAFile(absolute);
        return await readRegular(absolute);
    } catch (error) {
        if (error instanceof NorthError) throw error;
        const reason = messageOf(error);
        throw new NorthError("not-readable", `${absolute} cannot be read: ${reason}`, [
            "Check its name and permissions.",
        ]);
    }
}

async function readRegular(absolute: string): Promise<NamedFile> {
    const handle = await open(absolute, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
        const status = await handle.stat();
        if (!status.isFile()) throw notAFile(absolute);
        const buffer = Buffer.alloc(Math.min(status.size, MAX_TEXT_BYTES));
        const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
        const bytes = buffer.subarray(0, bytesRead);
        return contentOf(absolute, bytes, status.size);
    } finally {
        await handle.close();
    }
}

/** Rejects with `image-too-large`. */
export function contentOf(absolute: string, bytes: Buffer, size: number): NamedFile {
    const mediaType = mediaTypeOf(bytes);
    if (!mediaType?.startsWith("image/")) return { kind: "content", bytes, size };
    const refusal = mediaRefusal(mediaType, bytes, size);
    if (refusal !== undefined) throw tooLarge(absolute, refusal);
    return { kind: "image", mediaType, bytes };
}

function notAFile(absolute: string): NorthError {
    return new NorthError("not-a-file", `${absolute} is neither a file nor a folder.`);
}

function tooLarge(absolute: string, refusal: string): NorthError {
    const advice = ["Make it smaller and attach it again."];
    return new NorthError("image-too-large", `${absolute} ${refusal}.`, advice);
}

/** Absolute paths of files named on the command line. Rejects if one cannot be attached. */
export async function requireNamedFiles(
    names: readonly string[],
    folder: string
): Promise<readonly string[]> {
    const files: string[] = [];
    for (const name of names) {
        const absolute = path.resolve(folder, name);
        if (!existsSync(absolute)) {
            throw new NorthError("not-found", `There is no file ${name} to attach.`, [
                "Check the path given with --file; it is relative to the current folder.",
            ]);
        }
        await readNamedFile(absolute);
        files.push(absolute);
    }
    return files;
}
