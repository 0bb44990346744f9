import { formatDuration } from "../../base/format.js";
import type { StoredView } from "../../core/view/view.js";
import type { ShellOutcome } from "../../plugin/index.js";
import { openShell } from "../../shell/open-shell.js";
import { containmentIn, readConfig } from "../../storage/config.js";
import type { NorthDirectories } from "../../storage/files/directories.js";
import { openWorkspace } from "../../workspace/open-workspace.js";
import { couldNotRun } from "../effects/check-command.js";
import { ContainedCommands } from "../project/contained-commands.js";

/** A command that judges states of the project by its exit code. */
export interface CheckRequest {
    readonly command: string;
    /** Of each run. */
    readonly timeoutMs: number;
    readonly directories: NorthDirectories;
    readonly environment: NodeJS.ProcessEnv;
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
    const { directories, environment, command, timeoutMs, signal } = request;
    const settings = containmentIn(await readConfig(directories.config));
    const shell = openShell({ root, environment, withheldVariables: [] });
    const workspace = openWorkspace({ root });
    const commands = new ContainedCommands({
        ...{ root, directories, environment, settings, shell, workspace },
    });
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
            return { passes, outcome, ...(obstacle !== undefined && { obstacle }) };
        },
        dispose: () => commands.dispose(),
    };
}

function obstacleOf(outcome: ShellOutcome, needs: string | undefined): string | undefined {
    if (outcome.timedOut) return "the command exceeded --timeout";
    if (couldNotRun(outcome)) return `the command could not run: ${outcome.stderr.trim()}`;
    return needs && `the command cannot work contained (${needs})`;
}

/** What a user can do about an obstacle. */
export const CHOOSE_ANOTHER =
    "Choose a command that runs without network and reports success by its exit code.";
