import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { openRegularFile } from "../open-file.js";

/** A text and whether it is all of the file. */
export interface GuidanceText {
    readonly text: string;
    readonly truncated: boolean;
}

/**
 * Reads the beginning of a text that is written for assistants, ignored by git or not. `undefined`
 * where there is none, and for what is no regular file inside the root: guidance is optional.
 */
export async function readGuidance(
    root: string,
    path: string,
    maxBytes: number
): Promise<GuidanceText | undefined> {
    // Nearly always there is nothing, and this is the cheapest way to see that.
    const status = await lstat(join(root, path)).catch(() => undefined);
    if (status === undefined) return undefined;
    const file = await openRegularFile(root, path).catch(() => undefined);
    if (file === undefined) return undefined;
    try {
        const buffer = Buffer.alloc(Math.min(file.stats.size, maxBytes) + 1);
        const { bytesRead } = await file.handle.read(buffer, 0, buffer.length, 0);
        const bytes = buffer.subarray(0, Math.min(bytesRead, maxBytes));
        // In stream mode an incomplete last character is left out.
        const text = new TextDecoder().decode(bytes, { stream: true }).trim();
        if (text === "" || text.includes("\0")) return undefined;
        return { text, truncated: bytesRead > maxBytes };
    } catch {
        return undefined;
    } finally {
        await file.handle.close();
    }
}
