import { chmod, lstat, mkdir, mkdtemp, readdir, realpath, rm } from "node:fs/promises";
import path from "node:path";

import { isProcessAlive, processStart } from "../../base/process-identity.js";
import { isInside } from "../working-folder.js";

const NAME = /^north-contained-(\d+)-(\d*)-/;

/**
 * A private folder for the layers of this process's contained runs, outside of the project, which
 * would see itself in it. Sweeps those of processes that are gone.
 */
export async function createBaseFolder(
    root: string,
    places: readonly string[]
): Promise<string | undefined> {
    const start = (await processStart(process.pid)) ?? "";
    for (const place of places) {
        const folder = await usable(place);
        if (folder === undefined || isInside(root, folder)) continue;
        await sweepBaseFolders(folder);
        return mkdtemp(path.join(folder, `north-contained-${process.pid}-${digits(start)}-`));
    }
    return undefined;
}

/** Removes what killed processes left in a folder. */
export async function sweepBaseFolders(place: string): Promise<void> {
    for (const name of await readdir(place).catch(() => [])) {
        const [, pid, start] = NAME.exec(name) ?? [];
        if (pid === undefined || (await isOwned(Number(pid), start ?? ""))) continue;
        const folder = path.join(place, name);
        const status = await lstat(folder).catch(() => undefined);
        if (status?.isDirectory() && status.uid === process.getuid?.()) await removeTree(folder);
    }
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

/** Ids are used again, but not with the same start. */
async function isOwned(pid: number, start: string): Promise<boolean> {
    if (!isProcessAlive(pid)) return false;
    const current = digits((await processStart(pid)) ?? "");
    return start === "" || current === "" || start === current;
}

function digits(text: string): string {
    return text.replace(/\D/g, "");
}

async function usable(place: string): Promise<string | undefined> {
    try {
        await mkdir(place, { recursive: true, mode: 0o700 });
        return await realpath(place);
    } catch {
        return undefined;
    }
}
