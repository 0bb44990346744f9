import { chmodSync } from "node:fs";

const NOBODY = 65534;

/** Does `work` as a user who has to heed modes: root does not notice them. */
export async function asOrdinaryUser<T>(work: () => T | Promise<T>): Promise<T> {
    const isRoot = process.getuid?.() === 0;
    if (isRoot) process.seteuid?.(NOBODY);
    try {
        return await work();
    } finally {
        if (isRoot) process.seteuid?.(0);
    }
}

/** Does `work` while a folder is read-only. */
export async function withReadOnlyFolder<T>(
    folder: string,
    work: () => T | Promise<T>
): Promise<T> {
    chmodSync(folder, 0o555);
    try {
        return await asOrdinaryUser(work);
    } finally {
        chmodSync(folder, 0o755);
    }
}
