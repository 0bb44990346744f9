import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { isExpectedError } from "../../base/north-error.js";
import { isInside, realHome, resolveRealPath } from "../../base/paths.js";
import { errorCode } from "../../base/system-error.js";
import { findBash } from "../find-bash.js";
import { createPrivateFolder, removeTree } from "../private-folder.js";
import type { Containment, ContainmentOptions } from "./containment.js";
import type { NamespaceOptions } from "./linux/namespaces.js";

export type OpenedContainment =
    | {
          readonly kind: "available";
          readonly containment: Containment;
          /** Why commands can only read here. */
          readonly lacks?: Missing;
      }
    | Unavailable;

/** What this machine lacks, and what would give it. */
export interface Missing {
    readonly reason: string;
    readonly nextSteps: readonly string[];
}

type Unavailable = Missing & { readonly kind: "unavailable" };

/** What keeps commands here from running contained, or from more than reading. */
export function missingFrom(opened: OpenedContainment): Missing | undefined {
    return opened.kind === "unavailable" ? opened : opened.lacks;
}

/** What a contained command sees, and what is missing, line by line. */
export function describeOpened(opened: OpenedContainment): readonly string[] {
    const seen = opened.kind === "available" ? opened.containment.describe() : [];
    const missing = missingFrom(opened);
    return [...seen, ...(missing ? [missing.reason, ...missing.nextSteps] : [])];
}

/** Tries one run to find out whether containment works here, and if not, why. */
export async function openContainment(options: ContainmentOptions): Promise<OpenedContainment> {
    const { root, environment } = options;
    const home = realHome(environment);
    if (home !== undefined && isInside(root, home)) {
        return unavailable(
            "The project contains the home folder, which contained commands must not see.",
            ["Start North in a folder below it."]
        );
    }
    // Rules count for real paths.
    const hiddenFolders = options.hiddenFolders.flatMap((location) => [
        location,
        resolveRealPath(location) ?? location,
    ]);
    if (process.platform === "darwin") {
        const { SandboxContainment } = await import("./macos/sandbox.js");
        return attempt(() => new SandboxContainment({ ...options, hiddenFolders, home }));
    }
    if (process.platform !== "linux") {
        return unavailable("North contains commands only on Linux and macOS.", []);
    }
    const { outerGitFolder } = await import("./linux/outer-git-folder.js");
    const { userGitPlaces } = await import("./git-places.js");
    const [bash, gitFolder, gitPlaces] = await Promise.all([
        findBash(environment.PATH),
        outerGitFolder(root),
        userGitPlaces(root),
    ]);
    const onLinux = { ...options, bash, home, hiddenFolders, gitFolder, gitPlaces };
    const opened = await openNamespaces(onLinux);
    if (opened.kind === "available") return opened;
    const { reason, nextSteps } = opened;
    const readOnly = await openReadOnly(onLinux);
    if (readOnly.kind === "available") return { ...readOnly, lacks: { reason, nextSteps } };
    return readOnly.reason === reason
        ? opened
        : unavailable(
              `${reason} Read-only commands need Landlock and Perl: ${readOnly.reason}`,
              nextSteps
          );
}

type LinuxOptions = Omit<NamespaceOptions, "base" | "supervisor"> & ContainmentOptions;

async function openNamespaces(options: LinuxOptions): Promise<OpenedContainment> {
    const { NamespaceContainment } = await import("./linux/namespaces.js");
    const { supervisorProgram } = await import("./linux/supervisor.js");
    const supervisor = supervisorProgram();
    if (supervisor === undefined) return WITHOUT_PERL;
    let last = unavailable("There is no folder outside the project for the layers.", []);
    // Overlays cannot write to every file system: not to another overlay, a network drive or a
    // full disk. Some have no links for what is built there either.
    for (const path of placesForLayers(options)) {
        const base = await createBase(path, options);
        if (base === undefined) continue;
        const whole = { ...options, base, supervisor };
        const opened = await attempt(() => new NamespaceContainment(whole));
        if (opened.kind === "available") return opened;
        await removeTree(base);
        const isOfPlace = /overlay|upper|file ?system|no space left/i.test(opened.reason);
        if (!isOfPlace && !opened.reason.includes(base)) return opened;
        last = opened;
    }
    return last;
}

const WITHOUT_PERL = unavailable(
    "Containment needs Perl on an x86-64 or ARM64 processor, to filter system calls.",
    ["Install Perl."]
);

async function openReadOnly(options: LinuxOptions): Promise<OpenedContainment> {
    const { findLandlock } = await import("./linux/landlock.js");
    const landlock = findLandlock();
    if ("missing" in landlock) return unavailable(`${landlock.missing}.`, []);
    const { ReadOnlyContainment } = await import("./linux/read-only.js");
    for (const path of placesForLayers(options)) {
        const base = await createBase(path, options);
        if (base === undefined) continue;
        const opened = await attempt(() => new ReadOnlyContainment({ ...options, base, landlock }));
        if (opened.kind === "unavailable") await removeTree(base);
        return opened;
    }
    return unavailable("there is no folder outside the project for temporary files.", []);
}

function placesForLayers({ layerFolders }: LinuxOptions): readonly string[] {
    return [...layerFolders, tmpdir(), "/var/tmp", "/dev/shm"];
}

async function createBase(path: string, { root }: LinuxOptions): Promise<string | undefined> {
    await mkdir(path, { recursive: true, mode: 0o700 }).catch(() => {});
    return createPrivateFolder("contained", [path], root);
}

async function attempt(create: () => Containment): Promise<OpenedContainment> {
    try {
        const containment = create();
        const problem = await containment.trial();
        if (problem === undefined) return { kind: "available", containment };
        return unavailable(`A trial command ${problem}.`, []);
    } catch (error) {
        // A missing program, such as mkfifo, is a reason too.
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

function unavailable(reason: string, nextSteps: readonly string[]): Unavailable {
    return { kind: "unavailable", reason, nextSteps };
}
