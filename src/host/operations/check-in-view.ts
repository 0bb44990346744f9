import type { Surroundings } from "../surroundings.js";
import { formatDuration } from "../../base/format.js";
import { NorthError } from "../../base/north-error.js";
import { containsFirst } from "../../core/approval/contained-runs.js";
import type { StoredView } from "../../core/draft/view.js";
import type { ShellOutcome } from "../../plugin/index.js";
import { northDirectories } from "../../storage/files/directories.js";
import { couldNotRun } from "../effects/check-finder.js";
import { type ContainedPlace, withContained } from "../project/contained-place.js";

/** A command that judges states of the project by its exit code. */
export interface CheckRequest extends Omit<Surroundings, "config"> {
    readonly command: string;
    /** Of each run. */
    readonly timeoutMs: number;
    readonly signal: AbortSignal;
    /** Called with a line for the user after each run. */
    progress(text: string): void;
}

interface CheckedView {
    readonly passes: boolean;
    readonly outcome: ShellOutcome;
    /** Why its exit code says nothing about the project, if so. */
    readonly obstacle?: string;
}

/**
 * Runs a check where the project is as in the view. Rejects with the signal's reason, and with
 * `containment-failed` where commands cannot see a view.
 */
export type RunCheck = (view: StoredView, name: string) => Promise<CheckedView>;

/** Runs work with a check that runs contained, in views: nothing it does is kept. */
export async function withCheck<Result>(
    request: CheckRequest,
    root: string,
    work: (run: RunCheck) => Promise<Result>
): Promise<Result> {
    const { command, timeoutMs, signal } = request;
    return withContained({ ...request, root }, ({ contained }) =>
        work(async (view, name) => {
            signal.throwIfAborted();
            const { outcome, outputs, needs } = await contained.run(command, root, {
                ...{ timeoutMs, signal, view },
            });
            await outputs.release();
            signal.throwIfAborted();
            const passes = outcome.exitCode === 0;
            const word = passes ? "passes" : `exit ${outcome.exitCode}`;
            request.progress(`${name}: ${word} (${formatDuration(outcome.durationMs)})`);
            const obstacle = passes ? undefined : obstacleOf(outcome, needs);
            return { passes, outcome, obstacle };
        })
    );
}

/** Rejects with `check-unseeing` where a command does not run contained, so sees no draft. */
export async function assertChecksSeeDrafts(place: Omit<ContainedPlace, "directories">) {
    const directories = northDirectories(place.environment);
    await withContained({ ...place, directories }, async ({ contained }) => {
        const isContained = containsFirst(contained.mode);
        const reason = isContained ? await contained.unavailable() : undefined;
        if (isContained && reason === undefined && contained.showsViews) return;
        throw new NorthError(
            "check-unseeing",
            `The check would not see the drafts: commands ${isContained ? "cannot" : "do not"} run contained here.`,
            [
                isContained
                    ? "`north doctor` says what that needs."
                    : "Leave out `--contain` (in the chat, `/contain auto`), or set `containment` in config.json to auto.",
            ]
        );
    });
}

function obstacleOf(outcome: ShellOutcome, needs: string | undefined): string | undefined {
    if (outcome.timedOut) return "the command exceeded --timeout";
    if (couldNotRun(outcome)) return `the command could not run: ${outcome.stderr.trim()}`;
    return needs && `the command cannot work contained (${needs})`;
}

/** What a user can do about an obstacle. */
export const CHOOSE_ANOTHER =
    "Choose a command that runs without network and reports success by its exit code.";
