import { join } from "node:path";
import { attempt } from "../../base/attempt.js";
import { Pacer } from "../../base/pacer.js";
import type { FileFacts, FileTree } from "../tree/file-tree.js";

const LIMIT_MS = 60_000;
/** The clock of file systems moves in steps of up to 10 ms; see git's "racy" index entries. */
const RACY_MS = 100;

let looks = 0;

export function sizeIn({ size }: FileFacts): number {
    return size;
}

/** A file that has just changed may change once more without any of this, so it gets no lasting version. */
export function versionIn({ ino, size, mtimeMs, ctimeMs }: FileFacts): string {
    const version = `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
    return Math.abs(Date.now() - ctimeMs) < RACY_MS ? `${version} ${(looks += 1)}` : version;
}

/** A fact of each file that exists. Synchronous, in slices: several times as fast as promises. */
export async function factsOf<Fact>(
    { root, tree }: { readonly root: string; readonly tree: FileTree },
    read: (facts: FileFacts) => Fact,
    paths: readonly string[],
    signal?: AbortSignal
): Promise<ReadonlyMap<string, Fact>> {
    const pacer = new Pacer("Measuring the files", LIMIT_MS, signal);
    const found = new Map<string, Fact>();
    for (const path of paths) {
        const facts = fileAt(join(root, path), tree);
        if (facts) found.set(path, read(facts));
        if (pacer.isDue) await pacer.yieldToEventLoop();
    }
    return found;
}

function fileAt(file: string, tree: FileTree): FileFacts | undefined {
    const facts = attempt(() => tree.lstatSync(file));
    return facts?.isFile() ? facts : undefined;
}
