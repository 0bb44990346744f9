import { totalmem } from "node:os";
import path from "node:path";
import { NorthError } from "../../../base/north-error.js";
import { isFolder, leavesFolder, resolveRealPath } from "../../../base/paths.js";
import type { StopCause } from "../../stop-reason.js";
import type { ContainedRequest, ContainedRun, Limits } from "../containment.js";
import type { View } from "./view.js";

const KILLED = 137;
const INTERRUPTED = 130;

export function standardLimits(): Limits {
    const memoryMb = Math.max(1024, Math.floor(totalmem() / 1024 ** 2 / 2));
    return { memoryMb, processes: 2048, writtenMb: 4096 };
}

/** A command that was stopped, or killed with its supervisor, has none of its own. */
export function exitCodeOf(
    ended: { readonly exitCode: number } | undefined,
    stopped: StopCause | undefined
): number {
    return ended?.exitCode ?? (stopped === "cancelled" ? INTERRUPTED : KILLED);
}

/**
 * Where the command says it ended, if that is a real folder that contained commands see, or one in
 * the project that it made, or a view has: in one of `layers`.
 */
export function endFolder(
    view: View,
    claimed = "",
    layers: readonly string[] = []
): string | undefined {
    if (!path.isAbsolute(claimed) || !view.shows(claimed)) return undefined;
    const inside = path.relative(view.options.root, claimed);
    const isReal = (location: string) =>
        resolveRealPath(location) === location && isFolder(location);
    const isMade =
        !leavesFolder(inside) && layers.some((layer) => isReal(path.join(layer, inside)));
    return isReal(claimed) || isMade ? claimed : undefined;
}

export function failed(reason: string): NorthError {
    return new NorthError("containment-failed", `The command could not run contained: ${reason}.`, [
        "`north doctor` says what this machine can do.",
    ]);
}

/** A first command, and what was planted for it. */
interface PlantedTrial {
    readonly command: string;
    problemIn(outcome: ContainedRun["outcome"]): string | undefined;
    remove(): Promise<void>;
}

/** What goes wrong when a trial runs. */
export async function problemIn(
    trial: PlantedTrial,
    folder: string,
    run: (request: ContainedRequest) => Promise<ContainedRun>
): Promise<string | undefined> {
    const state = { folder, variables: new Map(), definitions: "" };
    const { signal } = new AbortController();
    try {
        const { outcome } = await run({ command: trial.command, state, timeoutMs: 10_000, signal });
        return trial.problemIn(outcome);
    } finally {
        await trial.remove();
    }
}
