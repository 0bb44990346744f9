import { constants } from "node:fs";
import { access, lstat, mkdtemp, readdir, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

import { isInside } from "./working-folder.js";

const PREFIX = "north-shell-";

/**
 * A private folder (mode 700) for the pipes of one session. It lies outside the repository, so that
 * no tool ever sees it, and in the user's runtime folder where there is one, because commands and
 * system services like to empty the temporary folder.
 */
export async function createRuntimeFolder(
    root: string,
    environment: NodeJS.ProcessEnv,
    chosen?: string
): Promise<string> {
    const parent = chosen ?? (await findParent(root, environment));
    await sweep(parent);
    return mkdtemp(path.join(parent, `${PREFIX}${process.pid}-`));
}

/** Removes the runtime folders of killed processes. */
export async function sweepRuntimeFolders(
    root: string,
    environment: NodeJS.ProcessEnv
): Promise<void> {
    await sweep(await findParent(root, environment));
}

async function findParent(root: string, environment: NodeJS.ProcessEnv): Promise<string> {
    for (const candidate of [environment.XDG_RUNTIME_DIR, tmpdir(), "/var/tmp", "/dev/shm"]) {
        if (!candidate || !path.isAbsolute(candidate)) continue;
        const real = await usable(candidate);
        if (real !== undefined && !isInside(root, real)) return real;
    }
    return tmpdir();
}

async function usable(folder: string): Promise<string | undefined> {
    try {
        const real = await realpath(folder);
        await access(real, constants.W_OK | constants.X_OK);
        return real;
    } catch {
        return undefined;
    }
}

/** Removes the folders of dead processes. */
async function sweep(parent: string): Promise<void> {
    const names = await readdir(parent).catch(() => []);
    await Promise.all(
        names.filter(isStale).map(async (name) => {
            const folder = path.join(parent, name);
            const status = await lstat(folder).catch(() => undefined);
            if (!status?.isDirectory() || status.uid !== process.getuid?.()) return;
            await rm(folder, { recursive: true, force: true }).catch(() => {});
        })
    );
}

function isStale(name: string): boolean {
    const owner = /^north-shell-(\d+)-/.exec(name)?.[1];
    return owner !== undefined && !isRunning(Number(owner));
}

function isRunning(pid: number): boolean {
    try {
        return process.kill(pid, 0);
    } catch (error) {
        // EPERM: the process runs as another user.
        return error instanceof Error && "code" in error && error.code === "EPERM";
    }
}
