import { randomBytes } from "node:crypto";
import { stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { gitDirectory } from "../../base/git-directory.js";
import { readShortFile } from "../../base/read-regular-file.js";

const NAME = "north-id";
const ID = /^[0-9a-f]{32}$/;

/** A random id in git's folder, which no clone copies; without it, the folder's own identity. */
export async function cloneIdentity(root: string): Promise<string> {
    const git = await gitDirectory(root);
    const id = git && readShortFile(path.join(git, NAME))?.trim();
    return id && ID.test(id) ? id : folderIdentity(git ?? root);
}

/** Returns the identity, creating an id if there is none and the git directory is writable. */
export async function makeCloneIdentity(root: string): Promise<string> {
    const git = await gitDirectory(root);
    const isRepository = git && (await stat(path.join(git, "HEAD")).catch(() => undefined));
    if (isRepository) {
        const id = `${randomBytes(16).toString("hex")}\n`;
        // If two processes create one at once, the first wins.
        await writeFile(path.join(git, NAME), id, { flag: "wx" }).catch(() => {});
    }
    return cloneIdentity(root);
}

async function folderIdentity(folder: string): Promise<string> {
    const status = await stat(folder, { bigint: true }).catch(() => undefined);
    return status ? `folder ${status.dev} ${status.ino} ${status.birthtimeNs}` : "nowhere";
}
