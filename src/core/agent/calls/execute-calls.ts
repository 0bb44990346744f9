import { attempt } from "../../../base/attempt.js";
import type { Tool, ToolCallPart, ToolResult, ToolResultEntry } from "../../../plugin/index.js";
import { CHECK_FIRST, STOPPED } from "../../conversation/reply-messages.js";
import type { AgentEvent } from "../events.js";
import { failure } from "../failure.js";
import { newEntry, type Turn } from "../turn.js";
import { checkedCall, refusalOf } from "./checked-call.js";
import { type StoredResult, type TurnOutputs } from "./outputs.js";
import { type CallPlan, planCall } from "./plan-call.js";
import { type Outlet, relayEvents } from "./relay.js";
import {
    failureFrom,
    MAX_DESCRIPTION_CHARACTERS,
    type RunningCall,
    runningCall,
} from "./running-call.js";
import { runTool } from "./run-tool.js";
import { withoutSecrets } from "./secrets-in-results.js";

interface SettledCall {
    readonly entry: ToolResultEntry;
    readonly result: ToolResult;
    readonly touched: ReadonlySet<string>;
}

/** Executes adjacent reads in parallel, the rest in sequence. Stores results in call order. */
export async function* executeCalls(
    turn: Turn,
    calls: readonly ToolCallPart[],
    outputs: TurnOutputs,
    onResult: (call: ToolCallPart, entry: ToolResultEntry) => void
): AsyncGenerator<AgentEvent, void> {
    for (const group of groups(turn, calls)) {
        yield* relayEvents(turn, async (outlet) => {
            const running = group.map((call) => ({
                call,
                settling: executeCall(turn, call, outputs, outlet),
            }));
            for (const { settling } of running) settling.catch(() => {});
            for (const { call, settling } of running) {
                const settled = await settling;
                const entry = await entryWithNotes(turn, settled);
                turn.conversation.record({ type: "entry_added", entry });
                onResult(call, entry);
                outlet.emit(finished(settled));
            }
        });
    }
}

/** Groups adjacent calls that may run in parallel; every other call is its own group. */
function groups(turn: Turn, calls: readonly ToolCallPart[]): readonly (readonly ToolCallPart[])[] {
    const grouped: ToolCallPart[][] = [];
    let isOpen = false;
    for (const call of calls) {
        const tool = turn.request.tools.get(call.name);
        const mayShare = tool?.approval === "none" && tool.readOnly;
        if (mayShare && isOpen) grouped.at(-1)?.push(call);
        else grouped.push([call]);
        isOpen = mayShare;
    }
    return grouped;
}

/**
 * Adds context for the files a call touched for the first time. Called one call at a time, so that
 * of two calls in one folder only the first gets it.
 */
async function entryWithNotes(
    turn: Turn,
    { entry, touched }: SettledCall
): Promise<ToolResultEntry> {
    if (touched.size === 0 || !turn.project.contextFor) return entry;
    try {
        const notes = await turn.project.contextFor(
            [...touched],
            turn.conversation.state.context.parts
        );
        return notes.length > 0 ? { ...entry, notes } : entry;
    } catch (error) {
        // The result must be stored even if its context fails.
        turn.log.event("error", "context_failed", { error: String(error) });
        return entry;
    }
}

function finished({ entry, result }: SettledCall): AgentEvent {
    const { callId, name, intent, ok, summary, display, durationMs } = entry;
    const event = { type: "tool-call-finished", callId, name, intent, ok, durationMs } as const;
    const shown = { ...event, summary, display };
    if (!result.ok) return { ...shown, error: result.error };
    const { progress, fullDisplay, display: end = "" } = result;
    const lines = (text: string): number => text.split("\n").length;
    return {
        ...shown,
        ...(fullDisplay !== undefined && { hiddenLines: lines(fullDisplay) - lines(end) }),
        progress,
    };
}

/** Turns every failure into a result. Rejects only with the reason of the turn's signal. */
async function executeCall(
    turn: Turn,
    sent: ToolCallPart,
    outputs: TurnOutputs,
    outlet: Outlet
): Promise<SettledCall> {
    const begin = turn.runtime.now();
    const plan = await planCall(turn, sent);
    const { tool } = plan;
    const call = tool ? { ...sent, name: tool.name, input: plan.input } : sent;
    const { callId, name } = call;
    const intent = (tool && textOf(() => tool.intent(call.input))) ?? name;
    turn.log.event("info", "tool_call_start", { tool: name, callId });
    turn.log.event("debug", "tool_call_input", { callId, argsSummary: intent });
    const observeEnd = observeStart(turn, call);
    if (tool) outlet.emit({ type: "tool-call-started", callId, name, intent });
    else if (plan.notice !== undefined) outlet.emit({ type: "notice", text: plan.notice });

    const running = runningCall(turn, call, outputs, outlet);
    const { output, observed, touched } = running;
    const settle = async (
        { result, ...stored }: CallAnswer,
        full?: string
    ): Promise<SettledCall> => {
        const { ok } = result;
        const durationMs = turn.runtime.now() - begin;
        const wholeHash = full === undefined ? undefined : await turn.project.storeOutput(full);
        const entry = newEntry(turn.runtime, {
            kind: "tool_result",
            callId,
            name,
            ...stored,
            ok,
            durationMs,
            intent,
            ...describedResult(tool, call, result),
            wholeHash,
            ...(ok && result.reminder !== undefined && { reminder: result.reminder }),
            ...(observed.length > 0 && { observed }),
            ...(running.tested && { tested: running.tested }),
        });
        turn.log.event("info", "tool_call_complete", { tool: name, durationMs, ok });
        const characters = (stored.text ?? stored.content).length;
        turn.log.event("debug", "tool_call_result", { callId, characters });
        return { result, entry, touched };
    };
    try {
        const answer = await answerOf(plan, running, outputs);
        const { result } = answer;
        const isShown = result.ok && result.display !== undefined;
        const settled = await settle(answer, isShown ? result.fullDisplay : output.whole);
        observeEnd(result.ok ? undefined : result.error.code);
        return settled;
    } catch (error) {
        observeEnd("cancelled");
        const { whole, end } = output;
        if (turn.signal.aborted && !wasDenied(turn, call)) {
            const printed = turn.project.secrets?.text(end) ?? end;
            const hint = end === "" ? CHECK_FIRST : `It had printed:\n${printed}`;
            const stopped = failure(STOPPED, "It was stopped before it finished.", hint);
            const stored = outputs.contentFor(call, stopped, undefined);
            const { entry } = await settle({ result: stopped, ...stored }, whole);
            turn.conversation.record({ type: "entry_added", entry });
        }
        throw error;
    }
}

/** Cancelled at its question: nothing ran, and the denial says so. */
function wasDenied({ conversation }: Turn, { callId }: ToolCallPart): boolean {
    return conversation.state.entries.some(
        (entry) => entry.kind === "review" && entry.callId === callId && entry.status === "denied"
    );
}

/** Notifies observers of the start; returns a function that notifies them of the end. */
function observeStart({ conversation, runtime }: Turn, { callId, name: tool }: ToolCallPart) {
    conversation.observe({ type: "tool-call-started", at: runtime.now(), callId, tool });
    return (errorCode?: string) => {
        const ending = errorCode === undefined ? { ok: true } : { ok: false, errorCode };
        conversation.observe({
            type: "tool-call-finished",
            at: runtime.now(),
            callId,
            tool,
            ...ending,
        });
    };
}

/** The outcome of a call, and what the model reads of it. */
type CallAnswer = { readonly result: ToolResult } & StoredResult;

/** Runs the tool; an error becomes a result, unless the turn was stopped. */
async function answerOf(
    plan: CallPlan,
    running: RunningCall,
    outputs: TurnOutputs
): Promise<CallAnswer> {
    const { call } = running;
    const { secrets } = running.turn.project;
    const answer = (result: ToolResult, notes = plan.notes): CallAnswer => ({
        result,
        // Before it is cut, which could leave half a secret.
        ...outputs.contentFor(call, withoutSecrets(result, call, secrets), plan.tool, notes),
    });
    if (!plan.tool) return answer(plan.failure);
    try {
        running.turn.project.assertFolder?.();
        const { result, notes } = await checkedResult(plan.tool, running);
        return answer(result, [...plan.notes, ...notes]);
    } catch (error) {
        return answer(failureFrom(error, running));
    }
}

/** Lets checks refuse the call before its tool runs and add notes to its result. */
async function checkedResult(
    tool: Tool,
    running: RunningCall
): Promise<{ readonly result: ToolResult; readonly notes: readonly string[] }> {
    const { turn, call, outlet } = running;
    const { checks } = turn;
    if (!checks) return { result: await runTool(tool, running), notes: [] };
    if (checks.isStopped) {
        const message = "The turn was stopped before this call.";
        return { result: failure("refused-by-check", message), notes: [] };
    }
    const checked = checkedCall(tool, call);
    const tell = () => {
        for (const text of checks.takeProblems()) outlet.emit({ type: "notice", text });
    };
    const { deny, ask, notes } = await checks.beforeCall(checked);
    tell();
    if (deny !== undefined) {
        turn.log.event("info", "call_refused", { tool: checked.tool, callId: call.callId });
        return { result: failure("refused-by-check", deny, "Do not try it another way."), notes };
    }
    const refusal = ask === undefined ? undefined : await refusalOf(tool, running, ask);
    if (refusal) return { result: refusal, notes };
    const result = await runTool(tool, running, ask).catch((error: unknown) =>
        failureFrom(error, running)
    );
    const after = await checks.afterCall(checked, result);
    tell();
    return { result, notes: [...notes, ...after] };
}

function describedResult(tool: Tool | undefined, call: ToolCallPart, result: ToolResult) {
    if (!result.ok) return {};
    const { data, display } = result;
    const summary = textOf(
        () => tool?.summary && Reflect.apply(tool.summary, tool, [data, call.input])
    );
    return { ...(summary && { summary }), ...(display && { display }) };
}

function textOf(describe: () => unknown): string | undefined {
    const text = attempt(describe);
    return typeof text === "string" ? text.slice(0, MAX_DESCRIPTION_CHARACTERS) : undefined;
}
