import type {
    AskTool,
    PlainTool,
    ShellTool,
    Tool,
    ToolCallPart,
    ToolContext,
    ToolFailure,
    ToolResult,
    WriteTool,
} from "../../../plugin/index.js";
import { NorthError } from "../../../base/north-error.js";
import type { Decision } from "../../approval/approver.js";
import { approvedShell } from "./approved-shell.js";
import { untilAborted, within } from "../../../base/waiting.js";
import { authorize } from "./authorize.js";
import type { Outlet } from "./relay.js";
import { reviewChange } from "./review-change.js";
import type { Turn } from "../turn.js";

/** In milliseconds; longer than the longest command may run. */
const TIME_LIMIT = 15 * 60_000;

/** What carrying out one call needs. */
export interface CallEnvironment {
    readonly turn: Turn;
    readonly context: ToolContext;
    readonly outlet: Outlet;
    /** Says that the versions of these files are now what the model knows. */
    observeWritten(path: string, hash: string | null): void;
}

/**
 * Carries out a call whose input is valid. May throw what the tool throws, and the signal's reason
 * as soon as it aborts, unless files are being written.
 */
export function runTool(
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
    const { sentence, key } = tool.question(call.input);
    const question = { sentence, key: `${tool.name}:${key}` };
    const request = { kind: "ask", callId: call.callId, question } as const;
    const decision = await authorize(turn, request, outlet);
    return decision.kind === "approve"
        ? limited(tool.execute(call.input, context), tool, turn.signal)
        : denied(decision, "The user did not allow it.");
}

async function runShell(tool: ShellTool, call: ToolCallPart, environment: CallEnvironment) {
    const { turn, outlet, context } = environment;
    const { command, cwd } = tool.command(call.input);
    const folder = await turn.shell.resolve(cwd);
    const request = { kind: "shell", callId: call.callId, command, cwd: folder } as const;
    const decision = await authorize(turn, request, outlet);
    if (decision.kind !== "approve") {
        return denied(decision, "The user denied the command; it was not run.");
    }

    turn.log.event("info", "shell_run_start", { command });
    const begin = turn.edges.now();
    const shell = approvedShell(turn.shell, command, folder);
    const result = await limited(
        tool.execute(call.input, { ...context, shell }),
        tool,
        turn.signal
    );
    const durationMs = turn.edges.now() - begin;
    turn.log.event("info", "shell_run_complete", { command, durationMs, ok: result.ok });
    return result;
}

async function runWrite(
    tool: WriteTool,
    call: ToolCallPart,
    environment: CallEnvironment
): Promise<ToolResult> {
    const { turn, outlet } = environment;
    const proposal = await limited(
        tool.propose(call.input, environment.context),
        tool,
        environment.turn.signal
    );
    if (!proposal.ok) return proposal;
    const change = {
        callId: call.callId,
        intent: tool.intent(call.input),
        changeSet: proposal.changeSet,
        observeWritten: environment.observeWritten,
    };
    return reviewChange(turn, change, outlet);
}

/**
 * Every wait has an end: a tool that hangs is given up. What it asks of the user in the middle of
 * its work counts too, which is why the limit is long.
 */
function limited<Value>(work: Promise<Value>, { name }: Tool, signal: AbortSignal): Promise<Value> {
    return within(TIME_LIMIT, untilAborted(work, signal), () => {
        throw new NorthError("timeout", `${name} did not finish in 15 minutes and was given up.`);
    });
}

function denied(decision: Exclude<Decision, { kind: "approve" }>, message: string): ToolFailure {
    const reason = decision.kind === "deny" ? decision.reason : undefined;
    return {
        ok: false,
        error: { code: "denied", message, ...(reason ? { hint: `Reason: ${reason}` } : {}) },
    };
}
