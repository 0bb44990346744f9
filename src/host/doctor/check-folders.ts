import { constants } from "node:fs";
import { access, stat, statfs } from "node:fs/promises";
import path from "node:path";
import type { NorthDirectories } from "../../storage/directories.js";
import { isAbsent } from "../../storage/storage-error.js";
import { broken, ok, warning, type Check } from "./check.js";

const MEGABYTE = 1024 * 1024;
/** A conversation with the contents that it changes fits several times. */
const ENOUGH = 100 * MEGABYTE;
const TOO_LITTLE = 5 * MEGABYTE;

/** Whether North's own folders can be written, or made. */
export function checkFolders(folders: NorthDirectories): Promise<readonly Check[]> {
    return Promise.all([
        checkFolder("config folder", folders.config, "NORTH_CONFIG_DIR"),
        checkFolder("data folder", folders.data, "NORTH_DATA_DIR"),
        checkFolder("state folder", folders.state, "NORTH_STATE_DIR"),
    ]);
}

async function checkFolder(name: string, folder: string, variable: string): Promise<Check> {
    const elsewhere = `or set ${variable} to a folder that can be written.`;
    const place = await nearestExisting(folder);
    if (!(await stat(place)).isDirectory()) {
        return broken(name, `${place} is not a folder`, `Move that file away, ${elsewhere}`);
    }
    try {
        await access(place, constants.W_OK | constants.X_OK);
    } catch {
        return broken(
            name,
            `${place} cannot be written`,
            `Run \`chmod u+rwx ${place}\`, ${elsewhere}`
        );
    }
    const { bavail, bsize } = await statfs(place);
    const free = bavail * bsize;
    const note = place === folder ? "" : " (not made yet)";
    if (free >= ENOUGH) return ok(name, `${folder}${note}`);
    const found = `${folder}: ${Math.floor(free / MEGABYTE)} MB free`;
    const next = `Make room on that disk, ${elsewhere}`;
    return free < TOO_LITTLE ? broken(name, found, next) : warning(name, found, next);
}

/** The folder, or what would have to be written to make it. */
async function nearestExisting(folder: string): Promise<string> {
    try {
        await stat(folder);
        return folder;
    } catch (error) {
        const isBelowFile = error instanceof Error && "code" in error && error.code === "ENOTDIR";
        const parent = path.dirname(folder);
        if (parent === folder || !(isAbsent(error) || isBelowFile)) throw error;
        return nearestExisting(parent);
    }
}
