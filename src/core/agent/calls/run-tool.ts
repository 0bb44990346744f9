import type { AskTool, Tool, ToolResult, WriteTool } from "../../../plugin/index.js";
import { isFields } from "../../../base/fields.js";
import { NorthError } from "../../../base/north-error.js";
import { untilAborted, within } from "../../../base/waiting.js";
import { pauseAutomatic } from "../../approval/pause-automatic.js";
import { authorize, denied } from "./authorize.js";
import { reviewChange, withEditors } from "./review-change.js";
import { runCommand } from "./run-command.js";
import type { RunningCall } from "./running-call.js";

/** In milliseconds; above the longest command timeout. */
const TIME_LIMIT_MS = 15 * 60_000;

/**
 * Runs a call with valid input. `alwaysAsks`: why a change is asked about in any case. Throws the
 * tool's error, or the signal's reason once it aborts, unless files are being written.
 */
export async function runTool(
    tool: Tool,
    running: RunningCall,
    alwaysAsks?: string
): Promise<ToolResult> {
    return assertValidResult(await runByClass(tool, running, alwaysAsks));
}

/** Plugins in plain JavaScript may return anything; an invalid result is a bug in the tool. */
function assertValidResult(result: ToolResult): ToolResult {
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

async function pauseAfter({ name }: Tool, { turn, outlet }: RunningCall): Promise<void> {
    const { runGrants } = turn.session;
    const { grants } = turn.project;
    const text = pauseAutomatic(name, runGrants, await grants.snapshot());
    if (text !== undefined) outlet.emit({ type: "notice", text });
}

function runByClass(tool: Tool, running: RunningCall, alwaysAsks?: string): Promise<ToolResult> {
    const { call, context } = running;
    switch (tool.approval) {
        case "none":
            return limited(tool.execute(call.input, context), tool, running);
        case "write":
            return runWrite(tool, running, alwaysAsks);
        case "shell":
            return runCommand(tool, running, (shell) =>
                limited(tool.execute(call.input, { ...context, shell }), tool, running)
            );
        case "ask":
            return runAsk(tool, running);
        default:
            return tool satisfies never;
    }
}

async function runAsk(tool: AskTool, running: RunningCall): Promise<ToolResult> {
    const { turn, call, outlet, context } = running;
    const asked = tool.question(call.input, context);
    const question = { ...asked, key: `${tool.name}:${asked.key}` };
    const request = { kind: "ask", callId: call.callId, question } as const;
    const decision = await authorize(turn, request, outlet);
    return decision.kind === "approve"
        ? limited(tool.execute(call.input, context), tool, running)
        : denied(decision, "The user did not allow it.");
}

async function runWrite(
    tool: WriteTool,
    running: RunningCall,
    alwaysAsks: string | undefined
): Promise<ToolResult> {
    const { turn, call, outlet, context, touched, observeWritten } = running;
    const propose = () => limited(tool.propose(call.input, context), tool, running);
    const proposal = await propose();
    if (!proposal.ok) return withEditors(turn, proposal, touched);
    const change = {
        callId: call.callId,
        changeSet: proposal.changeSet,
        alwaysAsks,
        rebuild: propose,
        observeWritten,
    };
    const result = await reviewChange(turn, change, outlet);
    if (!result.ok || !proposal.notes) return result;
    const notes = [...proposal.notes, ...(result.data.notes ?? [])];
    return { ...result, data: { ...result.data, notes } };
}

/**
 * Abandons a tool that hangs. The limit is long because it includes waiting for the user. Model
 * runs have limits of their own.
 */
async function limited<Value>(
    work: Promise<Value>,
    tool: Tool,
    running: RunningCall
): Promise<Value> {
    try {
        const ended = untilAborted(work, running.turn.signal);
        if (tool.startsRuns) return await ended;
        return await within(TIME_LIMIT_MS, ended, () => {
            const sentence = `${tool.name} did not finish in 15 minutes and was abandoned.`;
            throw new NorthError("timeout", sentence);
        });
    } finally {
        // Not after a refused or denied call, which brought nothing.
        if (tool.fromOutside) await pauseAfter(tool, running);
    }
}
