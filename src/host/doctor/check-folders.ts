import { mkdtemp, rmdir, stat, statfs } from "node:fs/promises";
import path from "node:path";
import type { NorthDirectories } from "../../storage/files/directories.js";
import { errorCode, isAbsent } from "../../base/system-error.js";
import { broken, ok, warning, type Check } from "./check.js";

const MEGABYTE = 1024 * 1024;
/** Room for several conversations with their changed contents. */
const ENOUGH = 100 * MEGABYTE;
const TOO_LITTLE = 5 * MEGABYTE;

/** Whether North's own folders can be written or created. */
export function checkFolders(folders: NorthDirectories): Promise<readonly Check[]> {
    return Promise.all([
        checkFolder("config folder", folders.config, "NORTH_CONFIG_DIR"),
        checkFolder("data folder", folders.data, "NORTH_DATA_DIR"),
        checkFolder("state folder", folders.state, "NORTH_STATE_DIR"),
    ]);
}

async function checkFolder(name: string, folder: string, variable: string): Promise<Check> {
    const elsewhere = `or set ${variable} to a writable folder.`;
    try {
        const place = await nearestExisting(folder);
        await tryToWrite(place);
        const { bavail, bsize } = await statfs(place);
        const free = bavail * bsize;
        const note = place === folder ? "" : " (not created yet)";
        if (free >= ENOUGH) return ok(name, `${folder}${note}`);
        const found = `${folder}: ${Math.floor(free / MEGABYTE)} MB free`;
        const next = `Free some space on that disk, ${elsewhere}`;
        return free < TOO_LITTLE ? broken(name, found, next) : warning(name, found, next);
    } catch (error) {
        const found = `${folder} cannot be written (${errorCode(error) ?? String(error)})`;
        return broken(name, found, `Check what is there and who owns it, ${elsewhere}`);
    }
}

/** The folder, or the one it would be created in. */
async function nearestExisting(folder: string): Promise<string> {
    try {
        await stat(folder);
        return folder;
    } catch (error) {
        if (!isAbsent(error)) throw error;
        return nearestExisting(path.dirname(folder));
    }
}

/** Mode bits miss ACLs, read-only mounts and quotas. */
async function tryToWrite(folder: string): Promise<void> {
    await rmdir(await mkdtemp(path.join(folder, ".north-doctor-")));
}
