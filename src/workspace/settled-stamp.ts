import type { FileFacts } from "./tree/file-tree.js";

/** The coarsest mtimes of file systems in use are two seconds apart. */
const SETTLED_AFTER_MS = 2_000;

/**
 * Another one whenever the file or folder has changed; `undefined` for a while after a change, in
 * which another one might leave the same times.
 */
export function settledStamp({ ino, size, mtimeMs, ctimeMs }: FileFacts): string | undefined {
    const isSettled = Date.now() - mtimeMs > SETTLED_AFTER_MS;
    return isSettled ? `${ino} ${size} ${mtimeMs} ${ctimeMs}` : undefined;
}
