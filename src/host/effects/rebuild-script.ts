import { foldersAbove } from "../../base/paths.js";
import type { ContentStore } from "../../core/conversation/content-store.js";
import { type FileVersion, type FileVersions, isCovered } from "../../core/history/states.js";
import type { ShellOutcome } from "../../plugin/index.js";
import { quote } from "../../shell/quote.js";
import { currentVersion } from "../../workspace/current-file.js";

export interface StoredContents {
    readonly root: string;
    readonly contents: Pick<ContentStore, "get">;
}

/** Bash that sets files to other versions in a contained view. Rejects with `object-missing`. */
export async function rebuildScript(stored: StoredContents, files: FileVersions): Promise<string> {
    const removals: string[] = [];
    const replaced: string[] = [];
    const writes: string[] = [];
    const others = new Set<string>();
    for (const path of [...files.keys()].sort()) {
        const version = files.get(path);
        if (!version || isCovered(path, files)) continue;
        const isBelowOther = foldersAbove(path).some((folder) => others.has(folder));
        const current = isBelowOther
            ? null
            : await currentVersion(stored.root, path, version.type).catch(() => null);
        if ((current?.hash ?? null) === version.hash) continue;
        const target = quote(`${stored.root}/${path}`);
        if (version.hash !== null && current === null && !isBelowOther) {
            others.add(path);
            replaced.push(`rm -rf -- ${target}`);
        }
        if (version.hash === null) removals.push(removal(version, target));
        else writes.push(...(await writing(stored, version, version.hash, target)));
    }
    // Remove a folder's content before the folder.
    const steps = [...removals.sort().reverse(), ...replaced, ...writes];
    const script = ["set -e", "umask 022", ...steps].join("\n");
    // Not `( … ) ||`: bash ignores `set -e` there.
    return `( ${script}\n)\n[ "$?" = 0 ] || { echo ${FAILED} >&2; exit 1; }`;
}

/** Marks a failed rebuild on stderr. No command prints it. */
const FAILED = "north-could-not-rebuild";

export function isRebuildFailed({ stderr }: Pick<ShellOutcome, "stderr">): boolean {
    return stderr.includes(FAILED);
}

/** Whether the shell could not start the command or rebuild its files. */
export function couldNotRun(outcome: Pick<ShellOutcome, "exitCode" | "stderr">): boolean {
    return [126, 127].includes(outcome.exitCode) || isRebuildFailed(outcome);
}

function removal({ type }: FileVersion, target: string): string {
    return type === "folder" ? `rmdir -- ${target}` : `rm -f -- ${target}`;
}

async function writing(
    { contents }: StoredContents,
    { type, mode }: FileVersion,
    hash: string,
    target: string
): Promise<string[]> {
    const chmod =
        mode === undefined || type === "link" ? [] : [`chmod ${mode.toString(8)} -- ${target}`];
    if (type === "folder") return [`mkdir -p -- ${target}`, ...chmod];
    const bytes = Buffer.from(await contents.get(hash));
    const parent = `mkdir -p -- "$(dirname -- ${target})"`;
    if (type === "link") {
        return [parent, `rm -f -- ${target}`, `ln -s -- ${quote(bytes.toString())} ${target}`];
    }
    const lines = bytes.toString("base64").match(/.{1,76}/g) ?? [];
    return [parent, `base64 -d >${target} <<'END'`, ...lines, "END", ...chmod];
}
