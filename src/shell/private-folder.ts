import { constants } from "node:fs";
import { access, chmod, lstat, mkdtemp, readdir, realpath, rm } from "node:fs/promises";
import path from "node:path";
import { isInside } from "../base/places.js";
import { isProcessAlive, processStart } from "../base/process-identity.js";

const NAME = /^north-(?:shell|contained)-(\d+)-(?:(\d*)-)?/;

/**
 * Makes a folder (mode 700) of this process in the first usable place outside the project, where no
 * tool sees it, and sweeps that place. `undefined` where there is no such place.
 */
export async function createPrivateFolder(
    purpose: "shell" | "contained",
    places: readonly (string | undefined)[],
    project?: string
): Promise<string | undefined> {
    for (const place of places) {
        const folder = await usable(place);
        if (folder === undefined || (project !== undefined && isInside(project, folder))) continue;
        await sweepPrivateFolders(folder);
        const owner = `${process.pid}-${await startOf(process.pid)}`;
        return mkdtemp(path.join(folder, `north-${purpose}-${owner}-`));
    }
    return undefined;
}

async function usable(place: string | undefined): Promise<string | undefined> {
    if (!place || !path.isAbsolute(place)) return undefined;
    try {
        const real = await realpath(place);
        await access(real, constants.W_OK | constants.X_OK);
        return real;
    } catch {
        return undefined;
    }
}

/** Removes the folders that killed processes left in a place. */
export async function sweepPrivateFolders(place: string): Promise<void> {
    for (const name of await readdir(place).catch(() => [])) {
        const [, pid, start] = NAME.exec(name) ?? [];
        if (pid === undefined || (await isOwned(Number(pid), start))) continue;
        const folder = path.join(place, name);
        const status = await lstat(folder).catch(() => undefined);
        if (status?.isDirectory() && status.uid === process.getuid?.()) await removeTree(folder);
    }
}

/** Ids are used again, but not with the same start. */
async function isOwned(pid: number, start: string | undefined): Promise<boolean> {
    if (!isProcessAlive(pid)) return false;
    const current = await startOf(pid);
    return !start || current === "" || start === current;
}

async function startOf(pid: number): Promise<string> {
    return ((await processStart(pid)) ?? "").replace(/\D/g, "");
}

/** Also what a command has made unreadable for its owner. */
export async function removeTree(folder: string): Promise<void> {
    try {
        await rm(folder, { recursive: true, force: true });
    } catch {
        await makeRemovable(folder).catch(() => {});
        await rm(folder, { recursive: true, force: true }).catch(() => {});
    }
}

async function makeRemovable(folder: string): Promise<void> {
    await chmod(folder, 0o700);
    for (const entry of await readdir(folder, { withFileTypes: true })) {
        if (entry.isDirectory()) await makeRemovable(path.join(folder, entry.name)).catch(() => {});
    }
}
