import { realpath } from "node:fs/promises";
import path from "node:path";
import { readRegularFile } from "../../base/read-regular-file.js";

/** Reads the start of a file, by its path relative to a folder; `undefined` if there is none. */
export type ReadText = (
    file: string,
    maxBytes: number
) => Promise<{ readonly text: string; readonly truncated: boolean } | undefined>;

/** Reads files in a user's folder; links and `..` cannot lead out of it. */
export function openOwnText(folder: string): ReadText {
    return async (file, maxBytes) => {
        const location = await realpath(path.join(folder, file)).catch(() => undefined);
        if (!location?.startsWith(folder + path.sep)) return undefined;
        const read = readRegularFile(location, maxBytes);
        if (read === undefined) return undefined;
        // Stream mode drops an incomplete last character.
        const text = new TextDecoder().decode(read.bytes, { stream: true });
        return text.includes("\0") ? undefined : { text, truncated: !read.isWhole };
    };
}
