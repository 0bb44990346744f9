import { readlink } from "node:fs/promises";
import type { FileContent, FileType } from "../plugin/index.js";
import { isExpectedError } from "../base/north-error.js";
import { openRegularFile, readAll } from "./open-file.js";
import { readVersion } from "./apply/version.js";
import { relativePath } from "./safe-path.js";

/** Reads the current content of a path, also of a link or folder; rejects like `currentFile`. */
export async function currentVersion(
    root: string,
    path: string,
    type: FileType = "file"
): Promise<Pick<FileContent, "hash" | "bytes"> | null> {
    if (type === "file") return currentFile(root, path);
    const location = `${root}/${relativePath(root, path)}`;
    const version = await readVersion(location, path, type);
    if (version === null) return null;
    const bytes = type === "link" ? await readlink(location, "buffer") : new Uint8Array();
    return { hash: version.hash, bytes };
}

/**
 * Reads the current content of a file, even if ignored or secret: North only compares it and never
 * shows it to a model. `null` if there is none; rejects like `openRegularFile`.
 */
export async function currentFile(root: string, path: string): Promise<FileContent | null> {
    try {
        const file = await openRegularFile(root, path);
        try {
            return await readAll(file, Number.MAX_SAFE_INTEGER);
        } finally {
            await file.handle.close();
        }
    } catch (error) {
        if (isExpectedError(error) && error.code === "not-found") return null;
        throw error;
    }
}
