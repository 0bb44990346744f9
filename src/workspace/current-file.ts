import type { FileContent } from "../plugin/workspace.js";
import { isExpectedError } from "../base/north-error.js";
import { openRegularFile } from "./open-file.js";
import { readAll } from "./read-all.js";

/**
 * A file as it is now, whatever is ignored or secret: what North itself compares with is not shown
 * to a model. `null` where there is none; rejects like `openRegularFile`.
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
