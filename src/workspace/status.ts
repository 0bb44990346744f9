import { stat } from "node:fs/promises";
import type { FileStatus } from "../plugin/workspace.js";
import { NorthError } from "../base/north-error.js";
import { resolveInside } from "./safe-path.js";
import { ifAbsent } from "../base/system-error.js";

/**
 * What is at a path, links followed; `null` if nothing is. Rejects with `outside-repository`, and
 * with `not-a-file` for what is neither a file nor a folder.
 */
export async function statusOf(root: string, path: string): Promise<FileStatus | null> {
    const place = await resolveInside(root, path);
    if (!place.exists) return null;

    const stats = await ifAbsent(stat(place.absolute), undefined);
    if (stats === undefined) return null;

    if (!stats.isFile() && !stats.isDirectory()) {
        throw new NorthError("not-a-file", `${place.path} is neither a file nor a folder.`);
    }

    return {
        path: place.path,
        type: stats.isFile() ? "file" : "dir",
        size: stats.isFile() ? stats.size : 0,
        modifiedAt: stats.mtimeMs,
    };
}
