import { stat } from "node:fs/promises";
import type { FileStatus } from "../plugin/workspace.js";
import { NorthError } from "../base/north-error.js";
import { resolveInside } from "./safe-path.js";
import { ifAbsent } from "../base/system-error.js";

/**
 * The type of a path, following links; `null` if it does not exist. Rejects with
 * `outside-repository`, and with `not-a-file` for anything but files and folders.
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
