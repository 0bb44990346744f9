import { execFile } from "node:child_process";
import { constants } from "node:fs";
import { access, lstat, mkdir, readdir, realpath, rm } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { isInside } from "../base/paths.js";
import { describeOwner, isGone, ownerProcess } from "../base/owner.js";
import { SYSTEM_PATH } from "./containment/containment.js";

const NAME = /^north-(?:shell|contained)-(.+)/;
/** Max age on a disk shared with another machine, where the owner's state is unknown. */
const MAX_MS = 24 * 60 * 60 * 1000;

/**
 * Creates a folder (mode 700) owned by this process in the first usable place outside the project,
 * where no tool sees it, and sweeps that place. Returns `undefined` if there is none.
 */
export async function createPrivateFolder(
    purpose: "shell" | "contained",
    places: readonly (string | undefined)[],
    project?: string
): Promise<string | undefined> {
    for (const location of places) {
        const folder = await usable(location);
        if (folder === undefined || (project !== undefined && isInside(project, folder))) continue;
        await sweepPrivateFolders(folder);
        const made = path.join(folder, `north-${purpose}-${await describeOwner()}`);
        await mkdir(made, { mode: 0o700 });
        return made;
    }
    return undefined;
}

async function usable(location: string | undefined): Promise<string | undefined> {
    if (!location || !path.isAbsolute(location)) return undefined;
    try {
        const real = await realpath(location);
        await access(real, constants.W_OK | constants.X_OK);
        return real;
    } catch {
        return undefined;
    }
}

/** Removes folders left in `place` by killed processes. */
export async function sweepPrivateFolders(location: string): Promise<void> {
    for (const name of await readdir(location).catch(() => [])) {
        const owner = NAME.exec(name)?.[1] ?? "";
        if (ownerProcess(owner) === undefined) continue;
        const folder = path.join(location, name);
        const status = await lstat(folder).catch(() => undefined);
        if (!status?.isDirectory() || status.uid !== process.getuid?.()) continue;
        const ageMs = () => Date.now() - status.mtimeMs;
        if (await isGone(owner, ageMs, MAX_MS)) await removeTree(folder);
    }
}

/** Also removes what a command made inaccessible to its owner, and paths too long for Node. */
export async function removeTree(folder: string): Promise<void> {
    try {
        await rm(folder, { recursive: true, force: true });
    } catch {
        const env = { PATH: SYSTEM_PATH };
        await promisify(execFile)("chmod", ["-R", "u+rwX", folder], { env }).catch(() => {});
        await promisify(execFile)("rm", ["-rf", folder], { env }).catch(() => {});
    }
}

/** Removes what was created in a folder since a time: what a stopped command wrote counts against no other one. */
export async function removeCreatedSince(time: number, folder: string): Promise<void> {
    for (const name of await readdir(folder)) {
        const location = path.join(folder, name);
        const status = await lstat(location).catch(() => undefined);
        if (status && status.birthtimeMs >= time) await removeTree(location);
    }
}
