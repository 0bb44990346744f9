import type {
    FileChange,
    Shell,
    ShellPlan,
    ShellRunOptions,
    ShellTool,
    ToolError,
    ToolFailure,
    ToolResult,
} from "../../../plugin/index.js";
import { isFields } from "../../../base/fields.js";
import { isExpectedError } from "../../../base/north-error.js";
import { untilAborted } from "../../../base/waiting.js";
import type { Decision, RequestOf, TrialRun } from "../../approval/approver.js";
import { type ChangeRange, lapseReason } from "../../approval/changes.js";
import type { ContainedResult, ContainedRuns } from "../../approval/contained-runs.js";
import { failure } from "../failure.js";
import type { CommandForecast, Turn } from "../turn.js";
import { approvedShell, closedShell, notApproved } from "./approved-shell.js";
import { authorize, denied, type Judgement, judgeCall, renewPermission } from "./authorize.js";
import { reviewChange } from "./review-change.js";
import type { RunningCall } from "./running-call.js";

/** A command and the real path of its folder. */
interface ResolvedCommand extends ShellPlan {
    readonly folder: string;
}

/** A command that is not allowed to run for real now. */
interface JudgedCommand extends ResolvedCommand {
    /** What it is known to need beyond containment. */
    readonly needs: string | undefined;
    readonly judged: Judgement;
    /** Why its permission does not count, as a clause. */
    readonly lapsed: string | undefined;
}

type ContainedAttempt =
    | { readonly kind: "settled"; readonly result: ToolResult }
    | {
          readonly kind: "real";
          readonly real: RealRunRequest;
          /** What the model gets if the command may not run for real. */
          readonly ran?: RanContained;
      };

/** The command must run for real: why, if known, how it went contained, and how to try that. */
type RealRunRequest = Pick<RequestOf<"shell">, "needs" | "tried" | "tryContained">;

interface RanContained {
    readonly result: ToolResult;
    readonly contained: ContainedResult;
}

type ExecuteTool = (shell: Shell) => Promise<ToolResult>;

/** Runs a tool's command, contained unless it is allowed to run for real. */
export async function runCommand(
    tool: ShellTool,
    running: RunningCall,
    execute: ExecuteTool
): Promise<ToolResult> {
    const { turn, call, outlet } = running;
    const plan = tool.command(call.input);
    const { command } = plan;
    const folder = await turn.project.shell.resolve(plan.cwd);
    const planned = { ...plan, folder };
    const forecast = await untilAborted(turn.project.forecast(command, folder), turn.signal);
    const { consequences } = forecast;
    const { callId } = call;
    const mustAsk = turn.project.contained?.mode === "required";
    const plain = { kind: "shell", callId, command, cwd: folder, consequences } as const;
    const request = mustAsk ? { ...plain, mustAsk } : plain;
    const judged = await judgeCall(turn, request);
    // Where no permission counts anyway, nothing has lapsed.
    const canCount = turn.settings.mode === "agent" && !mustAsk;
    const lapsed = canCount && judged.changedFiles ? lapseReason(judged.changedFiles) : undefined;
    let real: RealRunRequest = {};
    let ran: RanContained | undefined;
    if (turn.settings.mode === "ask" || judged.verdict === "ask") {
        const needs = knownNeed(planned, forecast);
        const attempt = { ...planned, needs, judged, lapsed };
        const tried = await tryContained(tool, running, attempt, execute);
        if (tried.kind === "settled") return withFolder(turn, tried.result);
        ({ real, ran } = tried);
        if (turn.settings.mode === "ask") {
            return ran ? keptResult(ran, IN_ASK_MODE) : notInAskMode(real);
        }
    }
    const set = await turn.project.contained?.setVariables?.();
    const asked = {
        ...request,
        ...real,
        ...(lapsed !== undefined && { lapsed }),
        ...(set && { variables: set.shown }),
    };
    const decision = await authorize(turn, asked, outlet, judged);
    if (decision.kind === "approve") {
        // Automatic, so nobody saw what it may change.
        const isUnseen = decision.decidedBy === "policy" && judged.changedFiles !== 0;
        if (isUnseen) await turn.project.grants.changes.add(undefined);
        // Security: what contained commands set counts only if someone saw it.
        const shell = (decision.decidedBy === "user" && set?.shell) || turn.project.shell;
        return runForReal(running, shell, planned, forecast, execute);
    }
    return notRunForReal(decision, asked, ran);
}

/** What the model gets after a denial: what a contained run printed, else why nothing ran. */
function notRunForReal(
    decision: Decision,
    { needs, lapsed }: Pick<RequestOf<"shell">, "needs" | "lapsed">,
    ran: RanContained | undefined
): ToolResult {
    if (ran) {
        const said = "The user denied the real run.";
        const { error } = denied(decision, said, "denied", "Not run for real");
        return keptResult(ran, error, lapsed);
    }
    const { error } = denied(decision, "The user denied the command; it was not run.");
    const reasons = [
        needs !== undefined && `It needs ${needs}.`,
        lapsed !== undefined && `Its permission lapsed: ${lapsed}.`,
        error.hint,
    ];
    return failure(error.code, error.message, reasons.filter(Boolean).join(" "));
}

async function runForReal(
    { turn, outlet }: RunningCall,
    shell: Shell,
    plan: ResolvedCommand,
    forecast: CommandForecast,
    execute: ExecuteTool
): Promise<ToolResult> {
    const { command, folder } = plan;
    turn.log.event("info", "shell_run_start", { command });
    const begin = turn.runtime.now();
    const settle = await untilAborted(forecast.backUp(), turn.signal);
    let jobEnded: Promise<void> | undefined;
    const onStart = (ended: Promise<void>) => {
        jobEnded = ended;
    };
    let result: ToolResult;
    try {
        result = await execute(approvedShell(shell, plan, folder, onStart));
    } finally {
        // What a job destroys is known only when it ends, possibly after the turn.
        if (jobEnded) void jobEnded.then(settle);
        const kept = jobEnded ? undefined : await settle();
        if (kept !== undefined) outlet.emit({ type: "notice", text: kept });
    }
    const durationMs = turn.runtime.now() - begin;
    turn.log.event("info", "shell_run_complete", { command, durationMs, ok: result.ok });
    return withFolder(turn, result);
}

/** Adds the session's folder, on which later commands depend. */
function withFolder({ project: { shell, workspace } }: Turn, result: ToolResult): ToolResult {
    const { root } = workspace;
    if (!result.ok || !isFields(result.data) || shell.cwd === root) return result;
    return { ...result, data: { ...result.data, cwd: shell.cwd } };
}

const IN_ASK_MODE = { message: "In ask mode a command runs only contained." };

/** What a contained run printed, with why it counts only in part. */
function keptResult(
    { result, contained }: RanContained,
    { message, hint }: Pick<ToolError, "message" | "hint">,
    lapsed?: string
): ToolResult {
    const { needs, effects } = contained;
    const notes = [
        ...contained.notes,
        ...(needs === undefined ? [] : [`It needs ${needs}.`]),
        ...(effects.length === 0 ? [] : [`Its changes were discarded: ${namesOf(effects)}.`]),
        ...[message, hint].filter((note) => note !== undefined),
    ];
    return annotated(result, { ...howRun(lapsed), notes });
}

function notInAskMode({ needs }: RealRunRequest): ToolFailure {
    const why = needs === undefined ? "this machine cannot contain commands" : `it needs ${needs}`;
    return failure(
        "not-in-this-mode",
        `In ask mode a command runs only contained, and ${why}.`,
        "Continue without it, or ask the user to switch to agent mode."
    );
}

/** Runs a command contained and reviews its changes like an edit; ask mode allows none. */
async function tryContained(
    tool: ShellTool,
    { turn, call, outlet, observeWritten }: RunningCall,
    { needs: known, judged, lapsed, ...plan }: JudgedCommand,
    execute: ExecuteTool
): Promise<ContainedAttempt> {
    const { command } = plan;
    const runs = turn.project.contained;
    if (!runs || runs.mode === "off") return { kind: "real", real: {} };
    const notice = await runs.notice();
    if (notice !== undefined) outlet.emit({ type: "notice", text: notice });
    if ((await runs.unavailable()) !== undefined) return { kind: "real", real: {} };
    const trial = { tryContained: () => runTrial(runs, plan, turn) };
    if (known !== undefined) return { kind: "real", real: { needs: known, ...trial } };

    turn.log.event("info", "contained_run_start", { command });
    const tried = await executeContained(runs, plan, turn.project.shell, execute);
    if (tried.kind === "failed") return { kind: "real", real: { needs: tried.reason } };
    const { result, contained } = tried;
    if (!contained || !result.ok) return { kind: "settled", result };
    const ran = { result, contained };
    const { needs, effects, outcome } = contained;
    turn.log.event("info", "contained_run_complete", {
        command,
        exitCode: outcome.exitCode,
        changes: effects.length,
        ...(needs !== undefined && { needs }),
    });
    if (needs !== undefined) {
        const real = { needs, tried: await trialRun(contained), ...trial };
        return { kind: "real", real, ran };
    }
    const how = howRun(lapsed);
    if (effects.length === 0) {
        const notes = [...contained.notes, ...contained.keep()];
        return { kind: "settled", result: annotated(result, { ...how, notes }) };
    }
    if (turn.settings.mode === "ask") {
        const message = `It would have changed ${namesOf(effects)}. ${NO_CHANGES}`;
        const unapplied = { applied: "none", code: "not-in-this-mode", message } as const;
        const facts = { ...how, effects: unapplied, notes: contained.notes } as const;
        return { kind: "settled", result: annotated(result, facts) };
    }
    const intent = tool.intent(call.input);
    const changeSet = { changes: effects };
    const onApproved = async ({ before, after }: ChangeRange) => {
        // What somebody else changed since it began was not in its effects.
        if (before === judged.mark) await renewPermission(turn, command, judged, after);
    };
    const change = {
        ...{ callId: call.callId, intent, changeSet, command, observeWritten, onApproved },
        ...(lapsed !== undefined && { lapsed: `Contained, because ${lapsed}.` }),
    };
    const written = await reviewChange(turn, change, outlet);
    if (!written.ok && written.error.code !== "rejected") {
        const { message: reason } = written.error;
        const what = effects.map(({ path }) => path).join(", ");
        const review = { subject: "write", status: "denied", decidedBy: "policy" } as const;
        const { callId } = call;
        outlet.emit({ type: "review-settled", callId, ...review, what, command, reason });
    }
    const unapplied = `It would have changed ${namesOf(effects)}.`;
    const notes = [...contained.notes, ...(written.ok ? contained.keep() : [unapplied])];
    const applied = written.ok ? written.data : { applied: "none", ...written.error };
    const facts = { ...how, effects: applied, notes };
    return { kind: "settled", result: annotated(result, facts) };
}

function knownNeed({ network, background }: ShellPlan, { needs }: CommandForecast) {
    if (network) return "the network";
    return background ? "to continue in the background" : needs;
}

async function runTrial(
    runs: ContainedRuns,
    { command, folder }: ResolvedCommand,
    { signal }: Turn
): Promise<TrialRun> {
    return trialRun(await runs.run(command, folder, { signal }));
}

async function trialRun({ outcome, effects, needs }: ContainedResult): Promise<TrialRun> {
    const { diffsOf } = await import("../../approval/diff.js");
    const changeSet = { changes: effects };
    const need = needs === undefined ? {} : { needs };
    return { outcome, changeSet, diffs: diffsOf(changeSet), ...need };
}

type ContainedExecution =
    | {
          readonly kind: "ran";
          readonly result: ToolResult;
          readonly contained: ContainedResult | undefined;
      }
    | { readonly kind: "failed"; readonly reason: string };

async function executeContained(
    runs: ContainedRuns,
    { command, folder }: ResolvedCommand,
    shell: Shell,
    execute: ExecuteTool
): Promise<ContainedExecution> {
    let contained: ContainedResult | undefined;
    const run = async (wanted: string, options: ShellRunOptions = {}) => {
        if (wanted !== command) throw notApproved(wanted);
        contained = await runs.run(command, folder, options);
        return contained.outcome;
    };
    try {
        const result = await execute({ ...closedShell(shell), run });
        return { kind: "ran", result, contained };
    } catch (error) {
        if (!isExpectedError(error) || error.code !== "containment-failed") throw error;
        return { kind: "failed", reason: error.message };
    }
}

function howRun(lapsed: string | undefined) {
    return { contained: true, ...(lapsed !== undefined && { because: lapsed }) } as const;
}

/** The tool's result, annotated with what the host knows. */
function annotated(
    result: ToolResult,
    { notes, ...facts }: { contained: true; effects?: object; notes: readonly string[] }
): ToolResult {
    if (!result.ok || typeof result.data !== "object" || result.data === null) return result;
    return { ...result, data: { ...result.data, ...facts, ...(notes.length > 0 && { notes }) } };
}

const MAX_NAMED = 10;

const NO_CHANGES =
    "In ask mode nothing is changed: describe the change; the user can switch to agent mode.";

function namesOf(effects: readonly FileChange[]): string {
    const names = effects.slice(0, MAX_NAMED).map(({ path }) => path);
    const more = effects.length > MAX_NAMED ? ` and ${effects.length - MAX_NAMED} more` : "";
    return names.join(", ") + more;
}
