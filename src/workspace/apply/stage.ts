import { constants, type Stats } from "node:fs";
import { access, lstat, open, readdir, symlink, unlink, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import type { FileChange } from "../../plugin/index.js";
import { notWritable } from "./apply-errors.js";
import type { Durability } from "./journal.js";
import type { OpenFolder } from "./folder.js";
import { isAbandoned, ownerOf } from "./apply-owner.js";
import type { PlannedFile } from "./plan.js";
import { ifAbsent } from "../../base/system-error.js";

const FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

const PERMISSION_BITS = 0o7777;

/** Permission bits before and after; absent if the file does not exist. */
export interface FileModes {
    readonly modeBefore?: number;
    readonly modeAfter?: number;
}

/** Writes the new content beside the target, so that only a rename is left; fsyncs if `durable`. */
export async function stageFile(
    file: PlannedFile,
    change: FileChange,
    folder: OpenFolder,
    { durable }: Durability
): Promise<FileModes> {
    const original = await ifAbsent(lstat(folder.at(file.name)), null);
    const hasMode = original !== null && !original.isSymbolicLink();
    const modeBefore = hasMode ? { modeBefore: original.mode & PERMISSION_BITS } : {};
    const former = original?.isFile() ? original : undefined;
    if (former) await requireWritable(folder.at(file.name), file.path);
    if (file.type === "link") {
        if (change.after !== null) await symlink(Buffer.from(change.after), folder.at(file.staged));
        return modeBefore;
    }
    if (file.type === "folder") {
        return { ...modeBefore, ...(change.mode === undefined ? {} : { modeAfter: change.mode }) };
    }
    if (change.after === null) return modeBefore;
    const mode = change.mode ?? former?.mode;
    // Never expose private content, even briefly. A new file gets 0666 reduced by the umask and the
    // folder's ACL.
    const handle = await open(folder.at(file.staged), FLAGS, mode === undefined ? 0o666 : 0o600);
    try {
        await handle.writeFile(change.after);
        if (former) await keepOwner(handle, former);
        if (mode !== undefined) await handle.chmod(mode & PERMISSION_BITS);
        if (durable) await handle.sync();
        return { ...modeBefore, modeAfter: (await handle.stat()).mode & PERMISSION_BITS };
    } finally {
        await handle.close();
    }
}

/** Removes staged files of killed processes, recognized by name. */
export async function sweepStaged(folder: string): Promise<void> {
    const names = await readdir(folder).catch(() => []);
    for (const name of names) {
        const owner = ownerOf(name);
        if (owner === undefined) continue;
        const path = join(folder, name);
        if (await isAbandoned(owner, path)) await unlink(path).catch(() => undefined);
    }
}

/** A rename needs no write permission on the file, but a read-only file is read-only on purpose. */
async function requireWritable(path: string, shown: string): Promise<void> {
    await access(path, constants.W_OK).catch((error: unknown) => {
        throw notWritable(shown, error);
    });
}

async function keepOwner(handle: FileHandle, original: Stats): Promise<void> {
    const { uid, gid } = await handle.stat();
    if (uid !== original.uid || gid !== original.gid) {
        // Only root may change owners; otherwise the file becomes the current user's.
        await handle.chown(original.uid, original.gid).catch(() => undefined);
    }
}
