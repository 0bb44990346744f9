import { safeLine } from "../base/safe-text.js";
import type { Job, SlashContext } from "../plugin/index.js";

export function runningJobs({ shell }: Pick<SlashContext, "shell">): readonly Job[] {
    return shell.jobs.list().filter(({ state }) => state === "running");
}

export async function mayEndJobs(context: SlashContext): Promise<boolean> {
    const running = runningJobs(context);
    if (running.length === 0) return true;
    const are = running.length === 1 ? "1 job is" : `${running.length} jobs are`;
    const details = running.map(({ command }) => command);
    return (await context.screen.confirm(`${are} running. Stop and quit?`, { details })) === true;
}

/** Transcript line for a job that exited; `undefined` if the user or the model stopped it. */
export function jobEnd({ id, state, exitCode, command }: Job): string | undefined {
    if (state !== "exited") return undefined;
    return `Job ${id} exited with ${exitCode}: ${safeLine(command)}`;
}
