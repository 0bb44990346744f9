import type { Surroundings } from "../surroundings.js";
import { formatDuration } from "../../base/format.js";
import { NorthError } from "../../base/north-error.js";
import { containsFirst } from "../../core/approval/contained-runs.js";
import type { StoredView } from "../../core/view/view.js";
import type { ContainmentMode, ShellOutcome } from "../../plugin/index.js";
import { openShell } from "../../shell/open-shell.js";
import { containmentIn, readConfig } from "../../storage/config.js";
import { northDirectories } from "../../storage/files/directories.js";
import { openWorkspace } from "../../workspace/open-workspace.js";
import { couldNotRun } from "../effects/check-command.js";
import { ContainedCommands } from "../project/contained-commands.js";

/** A command that judges states of the project by its exit code. */
export interface CheckRequest extends Omit<Surroundings, "config"> {
    readonly command: string;
    /** Of each run. */
    readonly timeoutMs: number;
    readonly signal: AbortSignal;
    /** Called with a line for the user after each run. */
    progress(text: string): void;
}

interface CheckResult {
    readonly passes: boolean;
    readonly outcome: ShellOutcome;
    /** Why its exit code says nothing about the project, if so. */
    readonly obstacle?: string;
}

export interface CheckInView {
    /**
     * Runs it where the project is as in the view. Rejects with the signal's reason, and with
     * `containment-failed` where commands cannot see a view.
     */
    run(view: StoredView, name: string): Promise<CheckResult>;
    dispose(): Promise<void>;
}

/** Prepares to run a check contained, in views: nothing it does is kept. */
export async function openCheckInView(request: CheckRequest, root: string): Promise<CheckInView> {
    const { command, timeoutMs, signal } = request;
    const { commands, dispose } = await openContained({ ...request, root });
    return {
        async run(view, name) {
            signal.throwIfAborted();
            const { outcome, outputs, needs } = await commands.run(command, root, {
                ...{ timeoutMs, signal, view },
            });
            await outputs.release();
            signal.throwIfAborted();
            const passes = outcome.exitCode === 0;
            const word = passes ? "passes" : `exit ${outcome.exitCode}`;
            request.progress(`${name}: ${word} (${formatDuration(outcome.durationMs)})`);
            const obstacle = passes ? undefined : obstacleOf(outcome, needs);
            return { passes, outcome, obstacle };
        },
        dispose,
    };
}

interface CheckedPlace extends Omit<Surroundings, "config"> {
    readonly root: string;
    /** Defaults to the mode in `config.json`. */
    readonly mode?: ContainmentMode | undefined;
}

async function openContained({ root, directories, environment, mode }: CheckedPlace) {
    const settings = containmentIn(await readConfig(directories.config));
    const shell = openShell({ root, environment, withheldVariables: [] });
    const commands = new ContainedCommands({
        ...{ root, directories, environment, shell, workspace: openWorkspace({ root }) },
        settings: { ...settings, ...(mode && { mode }) },
    });
    const dispose = async () => {
        await commands.dispose();
        await shell.dispose();
    };
    return { commands, dispose };
}

/** Rejects with `check-unseeing` where a command does not run contained, so sees no draft. */
export async function assertChecksSeeDrafts(place: Omit<CheckedPlace, "directories">) {
    const directories = northDirectories(place.environment);
    const { commands, dispose } = await openContained({ ...place, directories });
    try {
        const isContained = containsFirst(commands.mode);
        const reason = isContained ? await commands.unavailable() : undefined;
        if (isContained && reason === undefined && commands.showsViews) return;
        throw new NorthError(
            "check-unseeing",
            `The check would not see the drafts: commands ${isContained ? "cannot" : "do not"} run contained here.`,
            [
                isContained
                    ? "`north doctor` says what that needs."
                    : "Leave out `--contain` (in the chat, `/contain auto`), or set `containment` in config.json to auto.",
            ]
        );
    } finally {
        await dispose();
    }
}

function obstacleOf(outcome: ShellOutcome, needs: string | undefined): string | undefined {
    if (outcome.timedOut) return "the command exceeded --timeout";
    if (couldNotRun(outcome)) return `the command could not run: ${outcome.stderr.trim()}`;
    return needs && `the command cannot work contained (${needs})`;
}

/** What a user can do about an obstacle. */
export const CHOOSE_ANOTHER =
    "Choose a command that runs without network and reports success by its exit code.";
