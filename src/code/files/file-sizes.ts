import { lstatSync } from "node:fs";
import { join } from "node:path";
import { Pacer } from "../../base/pacer.js";
import type { Workspace } from "../../plugin/index.js";
import type { SizedFile } from "./language-of-files.js";

const LIMIT_MS = 60_000;

/**
 * The listed files that are still there, with their sizes; links do not count beside what they lead
 * to. Reads without waiting, in slices: that is several times as fast as promises.
 */
export async function sizesOf(
    { root }: Workspace,
    paths: readonly string[],
    signal: AbortSignal
): Promise<readonly SizedFile[]> {
    const pacer = new Pacer("Measuring the files", LIMIT_MS, signal);
    const sized: SizedFile[] = [];
    for (const path of paths) {
        const size = sizeOf(join(root, path));
        if (size !== undefined) sized.push({ path, size });
        if (pacer.isDue) await pacer.breathe();
    }
    return sized;
}

function sizeOf(file: string): number | undefined {
    try {
        const stats = lstatSync(file, { throwIfNoEntry: false });
        return stats?.isFile() ? stats.size : undefined;
    } catch {
        return undefined;
    }
}
