import { constants } from "node:fs";
import { open, realpath } from "node:fs/promises";
import path from "node:path";

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
        // O_NONBLOCK: opening a FIFO would block until there is a writer.
        const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
        const handle = await open(location, flags).catch(() => undefined);
        if (handle === undefined) return undefined;
        try {
            const stats = await handle.stat();
            if (!stats.isFile()) return undefined;
            const buffer = Buffer.alloc(Math.min(stats.size, maxBytes));
            const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
            const bytes = buffer.subarray(0, bytesRead);
            // Stream mode drops an incomplete last character.
            const text = new TextDecoder().decode(bytes, { stream: true });
            return text.includes("\0") ? undefined : { text, truncated: stats.size > maxBytes };
        } finally {
            await handle.close();
        }
    };
}
