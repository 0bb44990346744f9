import type {
    NestedAgent,
    Tool,
    ToolCallPart,
    ToolContext,
    ToolFailure,
    ToolResult,
    ToolResultPart,
} from "../../../plugin/index.js";
import { isExpectedError } from "../../../base/north-error.js";
import type { ToolResultEntry } from "../../../plugin/records.js";
import { closedShell } from "./approved-shell.js";
import { permitted, workspaceOf } from "./authorize.js";
import { attempted, type ToldResult, type TurnOutputs } from "./outputs.js";
import type { NestedUsage } from "../events.js";
import type { Outlet } from "./relay.js";
import { withContent } from "./result-content.js";
import { ShownOutput } from "./shown-output.js";
import { type CallPlan, planCall } from "./plan-call.js";
import type { CallEnvironment } from "./call-environment.js";
import { runTool } from "./tool-runners.js";
import type { Turn } from "../turn.js";

/** A finished call: what is stored and what is shown. */
export interface SettledCall {
    readonly entry: ToolResultEntry;
    readonly result: ToolResult;
    /** Files read or written, relative to the root. */
    readonly touched: readonly string[];
}

/**
 * Executes a call; every failure becomes a result. Rejects only with the reason of the turn's
 * signal.
 */
export async function executeCall(
    turn: Turn,
    sent: ToolCallPart,
    outputs: TurnOutputs,
    outlet: Outlet
): Promise<SettledCall> {
    const begin = turn.edges.now();
    const plan = await planCall(turn, sent);
    const call =
        plan.kind === "ready" ? { ...sent, name: plan.tool.name, input: plan.input } : sent;
    const intent = plan.kind === "ready" ? intentOf(plan.tool, call) : call.name;
    const observed: { path: string; hash: string | null }[] = [];
    const touched = new Set<string>();
    turn.log.event("info", "tool_call_start", { tool: call.name, callId: call.callId });
    const observeEnd = observeStart(turn, call);
    if (plan.kind === "ready") {
        outlet.tell({ type: "tool-call-started", callId: call.callId, name: call.name, intent });
    } else if (plan.notice !== undefined) {
        outlet.tell({ type: "notice", text: plan.notice });
    }

    const output = new ShownOutput();
    const files = { observed, touched };
    const environment = environmentOf(turn, call, { files, output }, outputs, outlet);
    const settle = async ({ result, ...told }: Answer, full?: string): Promise<SettledCall> => {
        const durationMs = turn.edges.now() - begin;
        const wholeHash = full === undefined ? undefined : await turn.keepText(full);
        const summary = plan.kind === "ready" ? summaryOf(plan.tool, call, result) : undefined;
        const entry = {
            kind: "tool_result",
            id: turn.edges.id(),
            at: turn.edges.now(),
            callId: call.callId,
            name: call.name,
            ...told,
            ok: result.ok,
            durationMs,
            intent,
            ...(summary ? { summary } : {}),
            ...(result.ok && result.display ? { display: result.display } : {}),
            ...(wholeHash === undefined ? {} : { wholeHash }),
            ...(result.ok && result.reminder !== undefined ? { reminder: result.reminder } : {}),
            ...(observed.length > 0 ? { observed } : {}),
        } as const;
        turn.log.event("info", "tool_call_complete", {
            tool: call.name,
            durationMs,
            ok: result.ok,
        });
        return { result, entry, touched: [...touched] };
    };
    try {
        const answer = await answerOf(plan, call, environment, outputs);
        const { result } = answer;
        const isShown = result.ok && result.display !== undefined;
        const settled = await settle(answer, isShown ? result.fullDisplay : output.whole);
        observeEnd(result.ok ? undefined : result.error.code);
        return settled;
    } catch (error) {
        observeEnd("cancelled");
        const { whole } = output;
        if (turn.signal.aborted && whole !== undefined) {
            const { entry } = await settle(stopped(call, outputs), whole);
            turn.record({ type: "entry_added", entry });
        }
        throw error;
    }
}

/** Tells the observers of the start; the function that it returns tells them of the end. */
function observeStart({ observe, edges }: Turn, { callId, name: tool }: ToolCallPart) {
    observe?.({ type: "tool-call-started", at: edges.now(), callId, tool });
    return (errorCode?: string) => {
        const ending = errorCode === undefined ? { ok: true } : { ok: false, errorCode };
        observe?.({ type: "tool-call-finished", at: edges.now(), callId, tool, ...ending });
    };
}

function stopped(call: ToolCallPart, outputs: TurnOutputs): Answer {
    const error = { code: "cancelled", message: "It was stopped before it finished." };
    const result: ToolFailure = { ok: false, error };
    return { result, ...outputs.contentFor(call, result, undefined) };
}

/** A call's files and output, collected while it runs. */
interface CallEffects {
    readonly files: {
        readonly observed: { path: string; hash: string | null }[];
        readonly touched: Set<string>;
    };
    readonly output: ShownOutput;
}

function environmentOf(
    turn: Turn,
    call: ToolCallPart,
    { files: { observed, touched }, output }: CallEffects,
    outputs: TurnOutputs,
    outlet: Outlet
): CallEnvironment {
    const { callId, name } = call;
    const context: ToolContext = {
        workspace: workspaceOf(turn, callId, outlet, (path) => touched.add(path)),
        shell: closedShell(turn.shell),
        signal: turn.signal,
        cache: outputs,
        observe: (path, hash) => observed.push({ path, hash }),
        observed: (path) =>
            observed.findLast((seen) => seen.path === path)?.hash ??
            turn.conversation.observed.get(path) ??
            undefined,
        permit: ({ sentence, details, key }) => {
            const more = details === undefined ? {} : { details: String(details) };
            const question = { sentence: String(sentence), key: `${name}:${key}`, ...more };
            return permitted(turn, callId, question, outlet);
        },
        ...(turn.jobs && { jobs: turn.jobs }),
        ...askerOf(name, outlet),
        ...agentOf(turn, call, outlet),
        note: (text) => {
            const shown = String(text).slice(0, MOST_CHARACTERS);
            outlet.tell({ type: "tool-call-noted", callId, text: shown });
        },
        checkInput: async (schema, input) =>
            (await import("../../../base/check-input.js")).checkInput(schema, input),
        progress: (given) => {
            const text = String(given);
            output.add(text);
            outlet.tell({ type: "tool-output-delta", callId, text });
        },
    };
    return {
        turn,
        context,
        outlet,
        touched,
        observeWritten: (path, hash) => {
            touched.add(path);
            observed.push({ path, hash });
        },
    };
}

const MOST_CHOICES = 9;
/** Of a line that describes a call. */
const MOST_CHARACTERS = 2_000;

/** What a tool asks is bounded, and told with the tool's name. */
function askerOf(name: string, { inquire }: Outlet): Pick<ToolContext, "ask"> {
    if (!inquire) return {};
    return {
        ask: ({ title, choices = [], allowText }) =>
            inquire({
                asker: name,
                title: String(title),
                choices: choices.slice(0, MOST_CHOICES).map(String),
                allowText: allowText === true || choices.length === 0,
            }),
    };
}

function agentOf(
    { nested }: Turn,
    { callId, name: by }: ToolCallPart,
    outlet: Outlet
): Pick<ToolContext, "agent"> {
    if (!nested) return {};
    const tell = (usage: NestedUsage) => outlet.tell({ type: "nested-usage", ...usage });
    const run: NestedAgent["run"] = (options) =>
        nested({ ...options, prompt: String(options.prompt) }, { by, callId }, tell);
    return { agent: { run } };
}

/** What a call came to, and what the model reads of it. */
interface Answer extends ToldResult, Pick<ToolResultPart, "media"> {
    readonly result: ToolResult;
}

/** Runs the tool; an error becomes a result, unless the turn was stopped. */
async function answerOf(
    plan: CallPlan,
    call: ToolCallPart,
    environment: CallEnvironment,
    outputs: TurnOutputs
): Promise<Answer> {
    if (plan.kind === "refused") {
        const result: ToolFailure = { ok: false, error: plan.error };
        return { result, ...outputs.contentFor(call, result, undefined) };
    }
    const { turn } = environment;
    const answer = (result: ToolResult, more: readonly string[] = []): Answer => {
        const told = outputs.contentFor(call, result, plan.tool, [...plan.notes, ...more]);
        return { result, ...withContent(told, result, turn.model) };
    };
    try {
        return await checkedAnswer(plan, call, environment, answer);
    } catch (error) {
        turn.signal.throwIfAborted();
        return answer(failureOf(turn, call, error));
    }
}

/** Lets the checks refuse the call before its tool runs, and add to its result. */
async function checkedAnswer(
    { tool, input }: Extract<CallPlan, { kind: "ready" }>,
    call: ToolCallPart,
    environment: CallEnvironment,
    answer: (result: ToolResult, notes?: readonly string[]) => Answer
): Promise<Answer> {
    const { turn, outlet } = environment;
    const { checks } = turn;
    if (!checks) return answer(await runTool(tool, call, environment));
    const { callId } = call;
    const checked = { callId, tool: tool.name, approval: tool.approval, input };
    const tell = () => {
        for (const text of checks.takeProblems()) outlet.tell({ type: "notice", text });
    };
    const { deny, notes } = await checks.beforeCall(checked);
    tell();
    if (deny !== undefined) {
        turn.log.event("info", "call_refused", { tool: tool.name, callId });
        const error = {
            code: "refused-by-check",
            message: deny,
            hint: "Do not try it another way.",
        };
        return answer({ ok: false, error }, notes);
    }
    const result = await runTool(tool, call, environment).catch((error: unknown) => {
        turn.signal.throwIfAborted();
        return failureOf(turn, call, error);
    });
    const after = await checks.afterCall(checked, result);
    tell();
    return answer(result, [...notes, ...after]);
}

function failureOf(turn: Turn, call: ToolCallPart, error: unknown): ToolFailure {
    if (isExpectedError(error)) {
        const hint = error.nextSteps.join(" ");
        return {
            ok: false,
            error: { code: error.code, message: error.message, ...(hint ? { hint } : {}) },
        };
    }
    turn.log.event("error", "tool_bug", {
        tool: call.name,
        stack: error instanceof Error ? error.stack : String(error),
    });
    const reason = error instanceof Error ? error.message : String(error);
    return {
        ok: false,
        error: { code: "tool-failed", message: `${call.name} failed: ${reason}` },
    };
}

function intentOf(tool: Tool, call: ToolCallPart): string {
    return textOf(() => tool.intent(call.input)) ?? call.name;
}

function summaryOf(tool: Tool, call: ToolCallPart, result: ToolResult): string | undefined {
    if (!result.ok) return undefined;
    const { data } = result;
    return textOf(() => tool.summary && Reflect.apply(tool.summary, tool, [data, call.input]));
}

function textOf(describe: () => unknown): string | undefined {
    const text = attempted(describe);
    return typeof text === "string" ? text.slice(0, MOST_CHARACTERS) : undefined;
}
