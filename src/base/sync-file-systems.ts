import { execFile } from "node:child_process";
import { open, stat } from "node:fs/promises";
import { promisify } from "node:util";
import { absoluteSearchPath } from "./search-path.js";

/** Up to this many files are synced one by one, without a child process. */
const MAX_SINGLE_SYNCS = 8;
const LIMIT_MS = 30_000;

/** Whether this many files are better synced by syncing their file systems. */
export function shouldSyncFileSystems(files: number): boolean {
    return files > MAX_SINGLE_SYNCS && process.platform === "linux";
}

/**
 * Syncs the file systems of these paths at once, so that writes survive a crash of the machine.
 * Returns `false` if that failed or took too long; then each file has to be synced.
 */
export async function syncFileSystems(paths: readonly string[]): Promise<boolean> {
    try {
        const byDevice = new Map<number, string>();
        for (const path of paths) byDevice.set((await stat(path)).dev, path);
        // Node has no syncfs.
        await promisify(execFile)("sync", ["-f", ...byDevice.values()], {
            env: { PATH: absoluteSearchPath() },
            timeout: LIMIT_MS,
        });
        return true;
    } catch {
        return false;
    }
}

export async function syncFile(file: string): Promise<void> {
    const handle = await open(file, "r");
    try {
        await handle.sync();
    } finally {
        await handle.close();
    }
}
