import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { isExpectedError } from "../../base/north-error.js";
import { errorCode } from "../../base/system-error.js";
import { findBash } from "../find-bash.js";
import { isInside } from "../working-folder.js";
import { createBaseFolder, removeTree } from "./base-folder.js";
import { outerGitFolder } from "./git-folder.js";
import type { Availability, Containment, ContainmentOptions } from "./containment.js";

export type OpenedContainment =
    | { readonly kind: "available"; readonly containment: Containment }
    | Extract<Availability, { kind: "unavailable" }>;

/** Finds out by a first run whether commands can run contained here, and if not, why. */
export async function openContainment(options: ContainmentOptions): Promise<OpenedContainment> {
    const { root, environment } = options;
    const home = realHome(environment.HOME);
    if (home !== undefined && isInside(root, home)) {
        return unavailable(
            "The project holds the home folder, which contained commands must not see.",
            ["Start North in a folder below it."]
        );
    }
    if (process.platform === "darwin") {
        const { SandboxContainment } = await import("./macos/sandbox.js");
        return attempt(new SandboxContainment({ ...options, home }), root);
    }
    if (process.platform !== "linux") {
        return unavailable("North contains commands on Linux and macOS.", []);
    }
    return openNamespaces(options, home);
}

async function openNamespaces(
    options: ContainmentOptions,
    home: string | undefined
): Promise<OpenedContainment> {
    const { root, environment, layerFolders } = options;
    const bash = await findBash(environment.PATH);
    const { NamespaceContainment } = await import("./linux/namespaces.js");
    let last = unavailable("There is no folder outside the project for the layers.", []);
    // An overlay cannot write to every file system: not to another overlay, nor over a network.
    for (const place of [...layerFolders, tmpdir(), "/var/tmp", "/dev/shm"]) {
        const base = await createBaseFolder(root, [place]);
        if (base === undefined) continue;
        const containment = new NamespaceContainment({
            ...options,
            base,
            bash,
            ...(home === undefined ? {} : { home }),
            searchPath: environment.PATH ?? "",
            gitFolder: outerGitFolder(root)?.folder,
        });
        const opened = await attempt(containment, root);
        if (opened.kind === "available") return opened;
        await removeTree(base);
        if (!/overlay|upper|file ?system/i.test(opened.reason)) return opened;
        last = opened;
    }
    return last;
}

async function attempt(containment: Containment, root: string): Promise<OpenedContainment> {
    const { signal } = new AbortController();
    const state = { folder: root, variables: new Map<string, string>(), definitions: "" };
    try {
        const { outcome } = await containment.run({
            command: "true",
            state,
            timeoutMs: 10_000,
            signal,
        });
        if (outcome.exitCode === 0) return { kind: "available", containment };
        return unavailable(`A first contained command failed: ${outcome.stderr.trim()}`, []);
    } catch (error) {
        // A program that is missing, such as mkfifo, is a reason too.
        if (!(error instanceof Error) || !(isExpectedError(error) || errorCode(error))) throw error;
        return unavailable(error.message, stepsFor(error.message));
    }
}

function stepsFor(reason: string): string[] {
    if (/unshare|namespace|uid_map|permitted/i.test(reason)) {
        return [
            "Allow user namespaces: on Ubuntu 24.04 or later an AppArmor profile for unshare, or `sysctl kernel.apparmor_restrict_unprivileged_userns=0`; elsewhere `sysctl user.max_user_namespaces=10000`.",
            "In a container, start it with `--security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined`.",
        ];
    }
    if (/ENOENT|not found|setpriv/i.test(reason)) return ["Install util-linux 2.36 or later."];
    return [];
}

function realHome(home: string | undefined): string | undefined {
    if (!home || !path.isAbsolute(home)) return undefined;
    try {
        return realpathSync(home);
    } catch {
        return undefined;
    }
}

function unavailable(reason: string, nextSteps: readonly string[]) {
    return { kind: "unavailable", reason, nextSteps } as const;
}
