import { randomBytes } from "node:crypto";
import { chmod, lstat, mkdir, readFile, readlink, rm, symlink } from "node:fs/promises";
import path from "node:path";
import { counted } from "../../base/format.js";
import { NorthError } from "../../base/north-error.js";
import { sha256 } from "../../base/sha256.js";
import type { ContentStore } from "../../core/conversation/content-store.js";
import { writeFileAtomically } from "../../storage/files/atomic-file.js";
import {
    createRescueStore,
    type Rescue,
    type RescuedFile,
    type RescueStore,
} from "../../storage/files/rescue-store.js";
import { createObjectStore } from "../../storage/files/object-store.js";
import { findRoot } from "../../workspace/find-root.js";

type FileToKeep = Pick<RescuedFile, "path" | "type" | "size" | "mode">;

interface RescuePlace {
    readonly contents: ContentStore;
    readonly rescues: RescueStore;
    /** Total for one command. Default: 100 MB. */
    readonly maxMegabytes?: number | undefined;
}

const MAX_MEGABYTES = 100;
const MEGABYTE = 1_000_000;
const MAX_FILES = 2_000;

/** Backs up files before a command. The returned function drops unchanged ones afterwards. */
export async function keepFiles(
    files: readonly FileToKeep[],
    command: string,
    { contents, rescues, maxMegabytes = MAX_MEGABYTES }: RescuePlace
): Promise<() => Promise<string | undefined>> {
    const kept: RescuedFile[] = [];
    let bytes = 0;
    for (const file of files) {
        if (kept.length >= MAX_FILES || bytes + file.size > maxMegabytes * MEGABYTE) continue;
        const content = await contentOf(file);
        // A full disk must not block the command that may free it.
        const hash = content && (await contents.put(content).catch(() => undefined));
        if (content === undefined || hash === undefined) continue;
        bytes += content.byteLength;
        const { path: name, type, mode } = file;
        kept.push({ path: name, type, hash, size: content.byteLength, mode: mode & 0o7777 });
    }
    const left = files.length - kept.length;
    const notKept =
        left > 0
            ? `${counted(left, "file")} could not be kept: the limit is ${maxMegabytes} MB (rescueMegabytes in config.json) and 2,000 files.`
            : undefined;
    if (kept.length === 0) return async () => notKept;
    const id = randomBytes(3).toString("hex");
    await rescues.add({ id, at: Date.now(), command, files: kept });
    return async () => {
        const gone = await changedOf(kept);
        await rescues.narrow(id, gone).catch(() => {});
        const them = gone.length === 1 ? "it" : "them";
        const said =
            gone.length > 0
                ? [`Kept: ${counted(gone.length, "file")} not in git. /rescue restores ${them}.`]
                : [];
        return [...said, ...(notKept === undefined ? [] : [notKept])].join(" ") || undefined;
    };
}

/** Files that differ from their backup. */
async function changedOf(files: readonly RescuedFile[]): Promise<RescuedFile[]> {
    const changed: RescuedFile[] = [];
    for (const file of files) {
        const content = await contentOf(file);
        const isSame = content !== undefined && sha256(content) === file.hash;
        if (!isSame) changed.push(file);
    }
    return changed;
}

async function contentOf({ path: file, type }: Pick<FileToKeep, "path" | "type">) {
    try {
        const stats = await lstat(file);
        if (type === "link") {
            return stats.isSymbolicLink() ? await readlink(file, "buffer") : undefined;
        }
        return stats.isFile() ? await readFile(file) : undefined;
    } catch {
        return undefined;
    }
}

/** The rescue with this id, or the newest. Rejects with `nothing-to-rescue`. */
export async function findRescue(rescues: RescueStore, id?: string): Promise<Rescue> {
    const found = (await rescues.list()).findLast((one) => id === undefined || one.id === id);
    if (found !== undefined) return found;
    if (id === undefined) {
        throw new NorthError("nothing-to-rescue", "No files are kept for this project.");
    }
    throw new NorthError("nothing-to-rescue", `There is no rescue ${id}.`, [
        "`north rescue` and /rescue list what is kept.",
    ]);
}

/** Restores files with modes, and backs up those they replace. Resolves with absolute paths. */
export async function restoreRescue(
    { id, files }: Rescue,
    place: RescuePlace
): Promise<readonly string[]> {
    const changed = await changedOf(files);
    const replaced: FileToKeep[] = [];
    for (const { path: file } of changed) {
        const stats = await lstat(file).catch(() => undefined);
        if (stats?.isDirectory()) {
            throw new NorthError("not-a-file", `${file} is a folder now; nothing was restored.`);
        }
        const type = stats?.isSymbolicLink() ? "link" : "file";
        if (stats) replaced.push({ path: file, type, size: stats.size, mode: stats.mode });
    }
    const contents = await Promise.all(changed.map(({ hash }) => place.contents.get(hash)));
    const dropUnchanged = await keepFiles(replaced, `rescue ${id}`, place);
    for (const [index, file] of changed.entries()) {
        await putBack(file, contents[index] ?? new Uint8Array());
    }
    await dropUnchanged();
    return changed.map(({ path: file }) => file);
}

async function putBack({ path: file, type, mode }: RescuedFile, bytes: Uint8Array): Promise<void> {
    await mkdir(path.dirname(file), { recursive: true });
    if (type === "link") {
        await rm(file, { force: true });
        return symlink(Buffer.from(bytes), file);
    }
    await writeFileAtomically(file, bytes, { mode });
    await chmod(file, mode);
}

/** One line for each: `3fa2c1  2026-11-22 14:03  2 files  rm -rf build`. */
export function rescueLine({ id, at, command, files }: Rescue): string {
    const minute = new Date(at).toISOString().slice(0, 16).replace("T", " ");
    return `${id}  ${minute}  ${counted(files.length, "file")}  ${command.split("\n", 1)[0] ?? ""}`;
}

/** The rescues of the repository around `folder`. */
export async function openRescues(dataFolder: string, folder: string) {
    const { root } = await findRoot(folder);
    const rescues = createRescueStore(dataFolder, root, () => {});
    const place = { rescues, contents: createObjectStore(dataFolder) };
    return {
        rescues,
        restore: async (id?: string) => restoreRescue(await findRescue(rescues, id), place),
        text: (kept: readonly Rescue[]) =>
            kept.length > 0
                ? kept.map(rescueLine).join("\n")
                : "No files are kept for this project.",
    };
}
