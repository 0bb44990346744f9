import { basename, dirname, join, relative, resolve } from "node:path";
import { attempt } from "../base/attempt.js";
import { NorthError } from "../base/north-error.js";
import { isInside, leavesFolder } from "../base/paths.js";
import { errorCode, ifAbsent } from "../base/system-error.js";
import type { FileStatus } from "../plugin/workspace.js";
import { filesOnDisk, type FileTree } from "./tree/file-tree.js";
import { outside } from "./tree/outside.js";

export interface ResolvedPath {
    /** As requested: relative to the root, with `/`; `""` is the root. */
    readonly path: string;
    /** The real path, links resolved; always inside the root. */
    readonly absolute: string;
    /** Whether anything exists at `absolute`. */
    readonly exists: boolean;
}

/** Max chained links, as on Linux. */
const MAX_LINKS = 40;

/** Resolves lexically; `""` is the root. Throws `outside-repository` if the path leads out. */
export function relativePath(root: string, path: string): string {
    if (path.includes("\0")) throw outside(path.replaceAll("\0", "\\0"));
    const inside = relative(root, resolve(root, path));
    if (leavesFolder(inside)) throw outside(path);
    return inside;
}

/**
 * Resolves every link in a path, which need not exist. `root` must be a real path. Rejects with
 * `outside-repository` if any part leads out.
 */
export async function resolveInside(
    root: string,
    path: string,
    files = filesOnDisk
): Promise<ResolvedPath> {
    const inside = relativePath(root, path);
    const place = await realPlace(join(root, inside), files, MAX_LINKS);
    if (!isInside(root, place.absolute)) throw outside(path);
    return { path: inside, ...place };
}

async function realPlace(
    absolute: string,
    files: FileTree,
    linksLeft: number
): Promise<{ absolute: string; exists: boolean }> {
    try {
        return { absolute: await files.realpath(absolute), exists: true };
    } catch (error) {
        const code = errorCode(error);
        if (code !== "ENOENT" && code !== "ENOTDIR") throw unreachable(absolute, error);
    }
    if (linksLeft === 0) throw unreachable(absolute);
    const parent = await realPlace(dirname(absolute), files, linksLeft);
    const path = join(parent.absolute, basename(absolute));
    // A write would follow a dangling link, so its target matters.
    const target = await danglingTarget(path, files);
    return target === undefined
        ? { absolute: path, exists: false }
        : realPlace(resolve(parent.absolute, target), files, linksLeft - 1);
}

async function danglingTarget(path: string, files: FileTree): Promise<string | undefined> {
    try {
        const isLink = (await files.lstat(path)).isSymbolicLink();
        return isLink ? await files.readlink(path) : undefined;
    } catch {
        return undefined;
    }
}

function unreachable(path: string, cause?: unknown): NorthError {
    return new NorthError(
        errorCode(cause) === "EACCES" ? "not-readable" : "not-found",
        `${path} cannot be reached${cause instanceof Error ? ` (${errorCode(cause)})` : ""}.`,
        ["Check the permissions and the links on the way to it."],
        { cause }
    );
}

/**
 * Returns the type of a path, following links; `null` if it does not exist. Rejects with
 * `outside-repository`, and with `not-a-file` for anything but files and folders.
 */
export async function statusOf(
    root: string,
    path: string,
    files = filesOnDisk
): Promise<FileStatus | null> {
    const resolved = await resolveInside(root, path, files);
    if (!resolved.exists) return null;
    const stats = await ifAbsent(files.lstat(resolved.absolute), undefined);
    if (stats === undefined) return null;
    if (!stats.isFile() && !stats.isDirectory()) {
        throw new NorthError("not-a-file", `${resolved.path} is neither a file nor a folder.`);
    }

    return {
        path: resolved.path,
        type: stats.isFile() ? "file" : "dir",
        size: stats.isFile() ? stats.size : 0,
        modifiedAt: stats.mtimeMs,
    };
}

/** Accepts paths as models write them: `/a` and `repository/a` mean `a` if only that exists. */
export function meantPath(root: string, path: string, files = filesOnDisk): string {
    if (path.includes("\0")) return path;
    const isAbsolute = path.startsWith("/");
    if (isAbsolute && isInside(root, path)) return path;
    const steps = path.replace(/^\.?\/+/, "");
    const inName = `${basename(root)}/`;
    const readings = [
        ...(isAbsolute ? [steps] : []),
        ...(steps.startsWith(inName) ? [steps.slice(inName.length)] : []),
    ].filter((reading) => isInside(root, join(root, reading)));
    if (readings.length === 0 || exists(isAbsolute ? path : join(root, path), files)) return path;
    return readings.find((reading) => reading !== "" && exists(join(root, reading), files)) ?? path;
}

function exists(path: string, files: FileTree): boolean {
    // Keep a path that cannot be checked.
    return attempt(() => files.lstatSync(path) !== undefined, false);
}
