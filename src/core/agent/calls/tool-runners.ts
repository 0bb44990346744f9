import type {
    AskTool,
    PlainTool,
    Shell,
    ShellTool,
    Tool,
    ToolCallPart,
    ToolFailure,
    ToolResult,
    WriteTool,
} from "../../../plugin/index.js";
import { isFields } from "../../../base/fields.js";
import { NorthError } from "../../../base/north-error.js";
import type { Decision } from "../../approval/approver.js";
import { approvedShell } from "./approved-shell.js";
import { untilAborted, within } from "../../../base/waiting.js";
import { authorize, isGranted } from "./authorize.js";
import type { CallEnvironment } from "./call-environment.js";
import { type RealAttempt, tryContained } from "./contained-call.js";
import { NOBODY_TO_ASK } from "./relay.js";
import { reviewChange } from "./review-change.js";
import type { Turn } from "../turn.js";
import { withEditors } from "./with-editors.js";

/** In milliseconds; above the longest command timeout. */
const TIME_LIMIT = 15 * 60_000;

/**
 * Runs a call with valid input. May throw the tool's error, and throws the signal's reason once it
 * aborts, unless files are being written.
 */
export async function runTool(
    tool: Tool,
    call: ToolCallPart,
    environment: CallEnvironment
): Promise<ToolResult> {
    try {
        return soundResult(await runByClass(tool, call, environment));
    } finally {
        if (tool.fromOutside) await pauseAutomatic(tool, environment);
    }
}

/** A plugin in plain JavaScript may answer anything; what is no result is a bug of the tool. */
function soundResult(result: ToolResult): ToolResult {
    const isText = (value: unknown) => typeof value === "string";
    if (!isFields(result)) throw new TypeError("it did not return a result");
    if (!result.ok) {
        const { error }: { readonly error: unknown } = result;
        if (isFields(error) && isText(error.code) && isText(error.message)) return result;
        throw new TypeError("its result has neither `ok: true` nor an error with code and message");
    }
    const { display = "", fullDisplay = "", reminder = "" } = result;
    if ([display, fullDisplay, reminder].every(isText)) return result;
    throw new TypeError("display, fullDisplay and reminder must be strings");
}

/** What came in may have been written to mislead the model. */
async function pauseAutomatic({ name }: Tool, { turn, outlet }: CallEnvironment): Promise<void> {
    const { runGrants, grants } = turn;
    if (runGrants.pausedBy !== undefined) return;
    runGrants.pausedBy = name;
    const { shellAutoApprove } = await grants.snapshot();
    if (!shellAutoApprove && !runGrants.approveShell) return;
    const text = `Commands need approval until this turn ends: ${name} brought content from outside.`;
    outlet.tell({ type: "notice", text });
}

function runByClass(
    tool: Tool,
    call: ToolCallPart,
    environment: CallEnvironment
): Promise<ToolResult> {
    switch (tool.approval) {
        case "none":
            return runPlain(tool, call, environment);
        case "write":
            return runWrite(tool, call, environment);
        case "shell":
            return runShell(tool, call, environment);
        case "ask":
            return runAsk(tool, call, environment);
        default:
            return tool satisfies never;
    }
}

function runPlain(tool: PlainTool, call: ToolCallPart, environment: CallEnvironment) {
    return limited(tool.execute(call.input, environment.context), tool, environment.turn.signal);
}

async function runAsk(tool: AskTool, call: ToolCallPart, environment: CallEnvironment) {
    const { turn, outlet, context } = environment;
    const asked = tool.question(call.input);
    const question = { ...asked, key: `${tool.name}:${asked.key}` };
    const request = { kind: "ask", callId: call.callId, question } as const;
    const decision = await authorize(turn, request, outlet);
    return decision.kind === "approve"
        ? limited(tool.execute(call.input, context), tool, turn.signal)
        : denied(decision, "The user did not allow it.");
}

async function runShell(tool: ShellTool, call: ToolCallPart, environment: CallEnvironment) {
    const { turn, outlet, context } = environment;
    const plan = tool.command(call.input);
    const { command } = plan;
    const folder = await turn.shell.resolve(plan.cwd);
    const execute = (shell: Shell) =>
        limited(tool.execute(call.input, { ...context, shell }), tool, turn.signal);
    const foreseen = await untilAborted(turn.foresee(command, folder), turn.signal);
    const { consequences } = foreseen;
    const { callId } = call;
    const request = { kind: "shell", callId, command, cwd: folder, consequences } as const;
    let attempt: RealAttempt = {};
    const isContainedFirst = turn.contained?.mode === "required" || turn.mode === "ask";
    if (isContainedFirst || !(await isGranted(turn, request))) {
        const planned = { ...plan, folder };
        const tried = await tryContained(tool, call, environment, planned, execute);
        if (tried.kind === "settled") return withFolder(turn, tried.result);
        attempt = tried.real;
        if (turn.mode === "ask") return onlyContained(attempt.needs);
    }
    const mustAsk = turn.contained?.mode === "required" ? { mustAsk: true } : {};
    const decision = await authorize(turn, { ...request, ...attempt, ...mustAsk }, outlet);
    if (decision.kind !== "approve") {
        return denied(decision, "The user denied the command; it was not run.");
    }

    turn.log.event("info", "shell_run_start", { command });
    const begin = turn.edges.now();
    const settle = await untilAborted(foreseen.keep(), turn.signal);
    let jobEnded: Promise<void> | undefined;
    const onStart = (ended: Promise<void>) => {
        jobEnded = ended;
    };
    let result: ToolResult;
    try {
        result = await execute(approvedShell(turn.shell, plan, folder, onStart));
    } finally {
        // What a job destroys is only known at its end, when the turn may be over.
        if (jobEnded) void jobEnded.then(settle);
        const kept = jobEnded ? undefined : await settle();
        if (kept !== undefined) outlet.tell({ type: "notice", text: kept });
    }
    const durationMs = turn.edges.now() - begin;
    turn.log.event("info", "shell_run_complete", { command, durationMs, ok: result.ok });
    return withFolder(turn, result);
}

/** Says where the session is now, which later commands depend on. */
function withFolder({ shell, workspace }: Turn, result: ToolResult): ToolResult {
    const { root } = workspace;
    if (!result.ok || !isFields(result.data) || shell.cwd === root) return result;
    return { ...result, data: { ...result.data, cwd: shell.cwd } };
}

function onlyContained(needs: string | undefined): ToolFailure {
    const why = needs === undefined ? "this machine cannot contain commands" : `it needs ${needs}`;
    return {
        ok: false,
        error: {
            code: "not-in-this-mode",
            message: `In ask mode a command runs only contained, and ${why}.`,
            hint: "Continue without it, or ask the user to switch to agent mode.",
        },
    };
}

async function runWrite(
    tool: WriteTool,
    call: ToolCallPart,
    environment: CallEnvironment
): Promise<ToolResult> {
    const { turn, outlet } = environment;
    const propose = () => limited(tool.propose(call.input, environment.context), tool, turn.signal);
    const proposal = await propose();
    if (!proposal.ok) return withEditors(turn, proposal, environment.touched);
    const change = {
        callId: call.callId,
        intent: tool.intent(call.input),
        changeSet: proposal.changeSet,
        rebuild: propose,
        observeWritten: environment.observeWritten,
    };
    const result = await reviewChange(turn, change, outlet);
    if (!result.ok || !proposal.notes) return result;
    const notes = [...proposal.notes, ...(result.data.notes ?? [])];
    return { ...result, data: { ...result.data, notes } };
}

/**
 * A tool that hangs is given up. The limit is long because it includes the user's answers to the
 * tool's questions.
 */
function limited<Value>(work: Promise<Value>, { name }: Tool, signal: AbortSignal): Promise<Value> {
    return within(TIME_LIMIT, untilAborted(work, signal), () => {
        throw new NorthError("timeout", `${name} did not finish in 15 minutes and was abandoned.`);
    });
}

function denied(decision: Exclude<Decision, { kind: "approve" }>, message: string): ToolFailure {
    const reason = decision.kind === "deny" ? decision.reason : undefined;
    if (reason === NOBODY_TO_ASK) {
        return { ok: false, error: { code: "denied", message: `Not run: ${reason}.` } };
    }
    return {
        ok: false,
        error: { code: "denied", message, ...(reason ? { hint: `Reason: ${reason}` } : {}) },
    };
}
