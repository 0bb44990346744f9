import { spawnSync } from "node:child_process";
import { realpathSync } from "node:fs";
import { mkdir, mkdtemp } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { PATIENCE_MS } from "../helpers/patience.js";
import type { ShellOutcome } from "../../src/plugin/shell.js";
import {
    openShell,
    type OpenShellOptions,
    type OwnedShell,
    type RealRunOptions,
} from "../../src/shell/open-shell.js";

/** Shells of a test, ended after it. */
export class TestShells {
    private readonly opened: OwnedShell[] = [];

    /** A shell over a fresh repository with a folder `sub` in it. */
    async open({
        runtimeFolder,
        ...options
    }: Partial<OpenShellOptions> & { readonly runtimeFolder?: string } = {}): Promise<OwnedShell> {
        const root = options.root ?? (await makeRoot());
        const environment = runtimeFolder && { ...process.env, XDG_RUNTIME_DIR: runtimeFolder };
        const shell = openShell({
            withheldVariables: [],
            ...(environment && { environment }),
            ...options,
            root,
        });
        this.opened.push(shell);
        return shell;
    }

    async disposeAll(): Promise<void> {
        await Promise.all(this.opened.splice(0).map((shell) => shell.dispose()));
    }
}

export async function makeRoot(): Promise<string> {
    const parent = process.env.HOME ?? os.tmpdir();
    const root = realpathSync(await mkdtemp(path.join(parent, "shell-")));
    await mkdir(path.join(root, "sub"));
    return root;
}

/** Whether a process runs; one that is dead and waits for its parent does not. */
export function isRunning(pid: number): boolean {
    const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" });
    return stdout.trim() !== "" && !stdout.trim().startsWith("Z");
}

/** Runs a command to its time limit, and to a longer one where it has printed fewer lines by then. */
export function runIntoLimit(
    shell: OwnedShell,
    command: string,
    { lines, ...options }: RealRunOptions & { readonly lines: number }
): Promise<ShellOutcome> {
    return withLongerLimits(
        (timeoutMs) => shell.run(command, { ...options, timeoutMs }),
        ({ stdout }) => stdout.split("\n").length > lines
    );
}

/** Runs again with a longer limit until the limit was long enough on this machine. */
export async function withLongerLimits<Ended>(
    run: (limitMs: number) => Promise<Ended>,
    wasEnough: (ended: Ended) => boolean
): Promise<Ended> {
    for (let limitMs = 300; ; limitMs *= 4) {
        const ended = await run(limitMs);
        if (wasEnough(ended) || limitMs > PATIENCE_MS / 4) return ended;
    }
}

/** The process ids that a command printed, one a line. */
export function pidsIn(output: string): number[] {
    return output.trim().split("\n").map(Number);
}

export async function until(what: string, isTrue: () => boolean | Promise<boolean>) {
    const deadline = Date.now() + PATIENCE_MS;
    while (!(await isTrue())) {
        if (Date.now() > deadline) throw new Error(`Waited in vain until ${what}.`);
        await sleep(10);
    }
}
