import type { FileFacts } from "./tree/file-tree.js";

/** The coarsest mtimes of file systems in use are two seconds apart. */
const SETTLED_AFTER_MS = 2_000;

/** Changes with the file; `undefined` shortly after a change, when another may keep the times. */
export function settledStamp({ ino, size, mtimeMs, ctimeMs }: FileFacts): string | undefined {
    const isSettled = Date.now() - mtimeMs > SETTLED_AFTER_MS;
    return isSettled ? `${ino} ${size} ${mtimeMs} ${ctimeMs}` : undefined;
}
