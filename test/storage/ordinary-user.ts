import { chmodSync } from "node:fs";

const NOBODY = 65534;

/** Does `work` while a folder is read-only; as another user where root would not notice. */
export async function withReadOnlyFolder<T>(
    folder: string,
    work: () => T | Promise<T>
): Promise<T> {
    const isRoot = process.getuid?.() === 0;
    chmodSync(folder, 0o555);
    if (isRoot) process.seteuid?.(NOBODY);
    try {
        return await work();
    } finally {
        if (isRoot) process.seteuid?.(0);
        chmodSync(folder, 0o755);
    }
}
