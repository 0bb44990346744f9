import type { Workspace } from "../../plugin/index.js";
import type { SizedFile } from "./language-of-files.js";

/** As many looks at the disk at a time as Node has threads for them. */
const BATCH = 32;

/** The files that are still there, with their sizes. */
export async function sizesOf(
    workspace: Workspace,
    paths: readonly string[],
    signal: AbortSignal
): Promise<readonly SizedFile[]> {
    const sized: SizedFile[] = [];
    for (let start = 0; start < paths.length; start += BATCH) {
        signal.throwIfAborted();
        const batch = paths.slice(start, start + BATCH);
        const statuses = await Promise.all(batch.map((path) => workspace.status(path)));
        for (const status of statuses) {
            if (status?.type === "file") sized.push({ path: status.path, size: status.size });
        }
    }
    return sized;
}
