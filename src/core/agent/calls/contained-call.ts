import type {
    ShellPlan,
    ShellRunOptions,
    ShellTool,
    ToolCallPart,
    ToolFailure,
    ToolResult,
} from "../../../plugin/index.js";
import { isExpectedError } from "../../../base/north-error.js";
import type { ApprovalRequest, Trial } from "../../approval/approver.js";
import type { ContainedResult, ContainedRuns } from "../../approval/contained-runs.js";
import { needsReal } from "../../approval/needs-real.js";
import { closedShell, notApproved } from "./approved-shell.js";
import type { CallEnvironment } from "./call-environment.js";
import { reviewChange } from "./review-change.js";
import type { Turn } from "../turn.js";

/** A command and the real folder in which it is to run. */
export interface PlannedCommand extends ShellPlan {
    readonly folder: string;
}

/** What became of a command that was tried contained. */
export type ContainedAttempt =
    | { readonly kind: "settled"; readonly result: ToolResult }
    | { readonly kind: "real"; readonly real: RealAttempt };

/** It has to run for real: why, where that is known, and how it can be tried before. */
export type RealAttempt = Pick<
    Extract<ApprovalRequest, { kind: "shell" }>,
    "needs" | "tryContained"
>;

/** Carries out the tool with a shell that runs the command contained. */
export type ExecuteTool = (shell: ReturnType<typeof closedShell>) => Promise<ToolResult>;

/**
 * Runs a command where it can do no harm and reviews what it changed, like an edit. In ask mode it
 * must not have changed anything.
 */
export async function tryContained(
    tool: ShellTool,
    call: ToolCallPart,
    environment: CallEnvironment,
    plan: PlannedCommand,
    execute: ExecuteTool
): Promise<ContainedAttempt> {
    const { turn, outlet } = environment;
    const runs = turn.contained;
    if (!runs || runs.mode === "off") return { kind: "real", real: {} };
    const notice = await runs.notice();
    if (notice !== undefined) outlet.tell({ type: "notice", text: notice });
    if ((await runs.unavailable()) !== undefined) return { kind: "real", real: {} };
    const trial = { tryContained: () => trialOf(runs, plan, turn) };
    const known = knownNeed(plan);
    if (known !== undefined) return { kind: "real", real: { needs: known, ...trial } };

    turn.log.event("info", "contained_run_start", { command: plan.command });
    const tried = await runTool(runs, plan, environment, execute);
    if (tried.kind === "failed") return { kind: "real", real: { needs: tried.reason } };
    const { result, contained } = tried;
    if (!contained || !result.ok) return { kind: "settled", result };
    const { needs, effects, outcome } = contained;
    turn.log.event("info", "contained_run_complete", {
        command: plan.command,
        exitCode: outcome.exitCode,
        changes: effects.length,
        ...(needs === undefined ? {} : { needs }),
    });
    if (needs !== undefined) return { kind: "real", real: { needs, ...trial } };
    if (effects.length === 0) {
        const notes = [...contained.notes, ...contained.keep()];
        return { kind: "settled", result: annotated(result, { contained: true, notes }) };
    }
    if (turn.mode === "ask") return { kind: "settled", result: wouldChange(contained) };
    const written = await reviewChange(
        turn,
        {
            callId: call.callId,
            intent: tool.intent(call.input),
            changeSet: { changes: effects },
            command: plan.command,
            observeWritten: environment.observeWritten,
        },
        outlet
    );
    const notes = [...contained.notes, ...(written.ok ? contained.keep() : [])];
    const applied = written.ok ? written.data : { applied: "none", ...written.error };
    return {
        kind: "settled",
        result: annotated(result, { contained: true, effects: applied, notes }),
    };
}

function knownNeed({ command, network, background }: ShellPlan): string | undefined {
    if (network) return "the network";
    if (background) return "to continue in the background";
    return needsReal(command);
}

async function trialOf(
    runs: ContainedRuns,
    { command, folder }: PlannedCommand,
    { signal }: Turn
): Promise<Trial> {
    const { diffsOf } = await import("../../approval/diff.js");
    const { outcome, effects, needs } = await runs.run(command, folder, { signal });
    const changeSet = { changes: effects };
    const need = needs === undefined ? {} : { needs };
    return { outcome, changeSet, diffs: diffsOf(changeSet), ...need };
}

type Tried =
    | {
          readonly kind: "ran";
          readonly result: ToolResult;
          readonly contained: ContainedResult | undefined;
      }
    | { readonly kind: "failed"; readonly reason: string };

async function runTool(
    runs: ContainedRuns,
    { command, folder }: PlannedCommand,
    { turn }: CallEnvironment,
    execute: ExecuteTool
): Promise<Tried> {
    let contained: ContainedResult | undefined;
    const shell = {
        ...closedShell(turn.shell),
        run: async (wanted: string, options: ShellRunOptions = {}) => {
            if (wanted !== command) throw notApproved(wanted);
            contained = await runs.run(command, folder, options);
            return contained.outcome;
        },
    };
    try {
        const result = await execute(shell);
        return { kind: "ran", result, contained };
    } catch (error) {
        if (!isExpectedError(error) || error.code !== "containment-failed") throw error;
        return { kind: "failed", reason: error.message };
    }
}

/** The tool's own result, with what the host knows about it. */
function annotated(
    result: ToolResult,
    { notes, ...facts }: { contained: true; effects?: object; notes: readonly string[] }
): ToolResult {
    if (!result.ok || typeof result.data !== "object" || result.data === null) return result;
    const note = notes.length === 0 ? {} : { notes };
    return { ...result, data: { ...result.data, ...facts, ...note } };
}

const NAMED = 10;

function wouldChange({ effects }: ContainedResult): ToolFailure {
    const names = effects.slice(0, NAMED).map(({ path }) => path);
    const more = effects.length > NAMED ? ` and ${effects.length - NAMED} more` : "";
    return {
        ok: false,
        error: {
            code: "not-in-this-mode",
            message: `It would have changed ${names.join(", ")}${more}; in ask mode nothing is changed.`,
            hint: "Describe the change; the user can switch to agent mode.",
        },
    };
}
