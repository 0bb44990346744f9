import { join } from "node:path";
import { Pacer } from "../../base/pacer.js";
import type { FileTree } from "../tree/file-tree.js";

const LIMIT_MS = 60_000;

/** The sizes of files by path. Synchronous, in slices: several times as fast as promises. */
export async function sizesOf(
    root: string,
    paths: readonly string[],
    tree: FileTree,
    signal?: AbortSignal
): Promise<ReadonlyMap<string, number>> {
    const pacer = new Pacer("Measuring the files", LIMIT_MS, signal);
    const sizes = new Map<string, number>();
    for (const path of paths) {
        const size = sizeOf(join(root, path), tree);
        if (size !== undefined) sizes.set(path, size);
        if (pacer.isDue) await pacer.yieldToEventLoop();
    }
    return sizes;
}

function sizeOf(file: string, tree: FileTree): number | undefined {
    try {
        const stats = tree.lstatSync(file);
        return stats?.isFile() ? stats.size : undefined;
    } catch {
        return undefined;
    }
}
