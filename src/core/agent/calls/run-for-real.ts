import type { Shell, ShellPlan, ToolResult } from "../../../plugin/index.js";
import { isFields } from "../../../base/fields.js";
import { isExpectedError } from "../../../base/north-error.js";
import { untilAborted } from "../../../base/waiting.js";
import type { ObservedChanges } from "../../approval/contained-runs.js";
import { folderOf } from "../../approval/question-notes.js";
import { recordWritten } from "../changes/apply-recorded.js";
import type { CommandForecast, Turn } from "../turn.js";
import { approvedShell } from "./approved-shell.js";
import { recordDecision } from "./authorize.js";
import type { ExecuteTool } from "./contained-result.js";
import type { RunningCall } from "./running-call.js";

/** A command and the real path of its folder. */
export interface ResolvedCommand extends ShellPlan {
    readonly folder: string;
}

interface RealRun {
    readonly shell: Shell;
    readonly plan: ResolvedCommand;
    readonly forecast: CommandForecast;
    readonly execute: ExecuteTool;
}

/** Runs an approved command for real, and records what it changed where that is observed. */
export async function runForReal(
    running: RunningCall,
    { shell, plan, forecast, execute }: RealRun
): Promise<ToolResult> {
    const { turn, outlet } = running;
    const { command, folder, background } = plan;
    // What a job changes is known only when it ends, possibly after the turn.
    const runs = background ? undefined : turn.project.contained;
    const observed = await unlessUnknown(running, async () => runs?.observe?.());
    turn.log.event("info", "shell_run_start", { command });
    const begin = turn.runtime.now();
    const settle = await untilAborted(forecast.backUp(), turn.signal);
    let jobEnded: Promise<void> | undefined;
    const onStart = (ended: Promise<void>) => {
        jobEnded = ended;
    };
    let result: ToolResult;
    let facts: object = {};
    try {
        result = await execute(approvedShell(shell, plan, folder, onStart));
    } finally {
        // What a job destroys is known only when it ends, possibly after the turn.
        if (jobEnded) void jobEnded.then(settle);
        const kept = jobEnded ? undefined : await settle();
        if (kept !== undefined) outlet.emit({ type: "notice", text: kept });
        const changes = await unlessUnknown(running, async () => observed?.());
        if (changes) facts = await recordEffects(running, command, changes);
    }
    const durationMs = turn.runtime.now() - begin;
    turn.log.event("info", "shell_run_complete", { command, durationMs, ok: result.ok });
    if (!result.ok || !isFields(result.data)) return result;
    return withFolder(turn, { ...result, data: { ...result.data, ...facts } });
}

/** Adds the session's folder, on which later commands depend. */
export function withFolder(
    { project: { shell, workspace } }: Turn,
    result: ToolResult
): ToolResult {
    if (!result.ok || !isFields(result.data)) return result;
    const { relative, isOutside } = folderOf(workspace.root, shell.cwd);
    if (relative === "") return result;
    return { ...result, data: { ...result.data, cwd: isOutside ? shell.cwd : relative } };
}

/** A command runs even if its changes cannot be recorded. */
async function unlessUnknown<Value>(
    { turn, outlet }: RunningCall,
    work: () => Promise<Value>
): Promise<Value | undefined> {
    try {
        return await work();
    } catch (error) {
        if (!isExpectedError(error)) throw error;
        const text = `What commands change is not recorded here: ${error.message}`;
        if (turn.session.once.first(text)) outlet.emit({ type: "notice", text });
        return undefined;
    }
}

/** Shows and records effects like those of a contained command that were accepted; for the model. */
async function recordEffects(
    { turn, call: { callId }, outlet, observeWritten }: RunningCall,
    command: string,
    { changes, files, more }: ObservedChanges
): Promise<object> {
    if (changes.length === 0) return {};
    const { diffsOf } = await import("../../diff/diff.js");
    const changeSet = { changes };
    const diffs = diffsOf(changeSet);
    await recordWritten(turn, changeSet, { callId, command, files });
    const request = { kind: "write", callId, changeSet, diffs, command } as const;
    recordDecision(turn, request, { kind: "approve" }, "policy", outlet);
    for (const file of files) observeWritten(file, "other");
    const counts = diffs.map(({ path, linesAdded, linesRemoved }) => ({
        ...{ path, linesAdded, linesRemoved },
    }));
    return { effects: { applied: "all", files: counts, ...(more > 0 && { more }) } };
}
