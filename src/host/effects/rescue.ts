import { randomBytes } from "node:crypto";
import { lstat, readFile, readlink, realpath } from "node:fs/promises";
import path from "node:path";
import { counted, localMinute } from "../../base/format.js";
import { NorthError } from "../../base/north-error.js";
import { systemErrorText } from "../../base/system-error.js";
import { sha256 } from "../../base/sha256.js";
import type { ContentStore } from "../../core/conversation/content-store.js";
import { contentChange } from "../../core/draft/view.js";
import type { FileChange } from "../../plugin/index.js";
import type { Rescue, RescuedFile, RescueStore } from "../../storage/files/rescue-store.js";
import { openStores } from "../open-stores.js";
import { createChangeApplier } from "../../workspace/apply/apply-change-set.js";
import { resolveInside } from "../../workspace/safe-path.js";

type FileToKeep = Pick<RescuedFile, "path" | "type" | "size" | "mode">;

interface RescueStores {
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
    { contents, rescues, maxMegabytes = MAX_MEGABYTES }: RescueStores
): Promise<() => Promise<string | undefined>> {
    const kept: RescuedFile[] = [];
    let bytes = 0;
    let why = `the limit is ${maxMegabytes} MB (rescueMegabytes in config.json) and 2,000 files`;
    // A full disk must not block the command that may free it.
    const unlessFull = <Value>(stored: Promise<Value>) =>
        stored.catch((error: unknown) => {
            why = systemErrorText(error);
            return undefined;
        });
    for (const file of files) {
        if (kept.length >= MAX_FILES || bytes + file.size > maxMegabytes * MEGABYTE) continue;
        const content = await contentOf(file);
        const hash = content && (await unlessFull(contents.put(content)));
        if (content === undefined || hash === undefined) continue;
        bytes += content.byteLength;
        const { type, mode } = file;
        const name = await realName(file.path);
        kept.push({ path: name, type, hash, size: content.byteLength, mode: mode & 0o7777 });
    }
    const id = randomBytes(3).toString("hex");
    const rescue = { id, at: Date.now(), command, files: kept };
    const isAdded = kept.length > 0 && (await unlessFull(rescues.add(rescue).then(() => true)));
    const left = files.length - (isAdded ? kept.length : 0);
    const notKept = left > 0 ? `${counted(left, "file")} could not be kept: ${why}.` : undefined;
    if (!isAdded) return async () => notKept;
    return async () => {
        const gone = await changedOf(kept);
        await rescues.narrow(id, gone).catch(() => {});
        const them = gone.length === 1 ? "it" : "them";
        const said =
            gone.length > 0
                ? [
                      `Kept: ${counted(gone.length, "file")} not in git. /rescue restores ${them}, in a shell \`north rescue restore ${id}\`.`,
                  ]
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
        "`north rescue restore ID` and /rescue ID restore it.",
    ]);
}

/** Restores files with modes, and backs up those they replace. Resolves with absolute paths. */
export async function restoreRescue(
    { id, files }: Rescue,
    stores: RescueStores
): Promise<readonly string[]> {
    const changed = await changedOf(files);
    const replaced: FileToKeep[] = [];
    const changes: FileChange[] = [];
    for (const file of changed) {
        await requireSamePlace(file.path);
        const stats = await lstat(file.path).catch(() => undefined);
        if (stats?.isDirectory()) {
            throw new NorthError(
                "not-a-file",
                `${file.path} is a folder now; nothing was restored.`
            );
        }
        const type = stats?.isSymbolicLink() ? "link" : "file";
        const now = stats && (await contentOf({ path: file.path, type }));
        if (stats) replaced.push({ path: file.path, type, size: stats.size, mode: stats.mode });
        const content = await stores.contents.get(file.hash);
        const after = { bytes: content, type: file.type };
        const mode = file.type === "link" ? undefined : file.mode;
        // A kept file may be outside the project, so its path is relative to `/`.
        const realPath = file.path.slice(1);
        const change = contentChange(realPath, { bytes: now ?? null, type }, after, mode);
        changes.push({ ...change, realPath });
    }
    const dropUnchanged = await keepFiles(replaced, `rescue ${id}`, stores);
    const applier = createChangeApplier({ root: "/", isUnprotected: true });
    const outcome = await applier.apply({ changes });
    if (outcome.kind === "stale") {
        const names = outcome.paths.map((each) => `/${each}`).join(", ");
        throw new NorthError("changed-since", `Not restored: ${names} changed just now.`);
    }
    await dropUnchanged();
    return changed.map(({ path: file }) => file);
}

/** The file with the links on the way to it resolved: they may lead elsewhere at the restore. */
async function realName(file: string): Promise<string> {
    const folder = await realpath(path.dirname(file)).catch(() => path.dirname(file));
    return path.join(folder, path.basename(file));
}

async function requireSamePlace(file: string): Promise<void> {
    const folder = path.dirname(file);
    const { absolute } = await resolveInside("/", folder);
    if (absolute === folder) return;
    const real = path.join(absolute, path.basename(file));
    throw new NorthError(
        "behind-a-link",
        `Nothing was restored: a link leads from ${file} to ${real} now.`,
        ["Remove the link, then restore again."]
    );
}

/** One line for each: `3fa2c1  2026-11-22 14:03  2 files  rm -rf build`. */
export function rescueLine({ id, at, command, files }: Rescue): string {
    return `${id}  ${localMinute(at)}  ${counted(files.length, "file")}  ${command.split("\n", 1)[0] ?? ""}`;
}

/** The rescues of the repository around `folder`. */
export async function openRescues(dataFolder: string, folder: string) {
    const stores = await openStores(dataFolder, folder);
    const { rescues } = stores;
    return {
        rescues,
        restore: async (id?: string) => restoreRescue(await findRescue(rescues, id), stores),
        text: (kept: readonly Rescue[]) =>
            kept.length > 0
                ? kept.map(rescueLine).join("\n")
                : "No files are kept for this project.",
    };
}
