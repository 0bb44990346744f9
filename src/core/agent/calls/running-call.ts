import type {
    NestedAgent,
    NestedRunOptions,
    Question,
    ToolCallPart,
    ToolContext,
    Workspace,
} from "../../../plugin/index.js";
import type { ChangedFile, TestedTree } from "../../../plugin/records.js";
import { isExpectedError } from "../../../base/north-error.js";
import { messageOf } from "../../../base/system-error.js";
import { failure, failureOf } from "../failure.js";
import type { NestedUsage } from "../events.js";
import { nestedModel } from "../nested-model.js";
import { delegate, mayDelegate } from "./delegate.js";
import type { NestedWriting, Turn } from "../turn.js";
import { closedShell } from "./approved-shell.js";
import { authorize } from "./authorize.js";
import { type TurnOutputs } from "./outputs.js";
import type { Outlet } from "./relay.js";
import { ShownOutput } from "./shown-output.js";

const MAX_CHOICES = 9;
/** Max length of a line that describes a call. */
export const MAX_DESCRIPTION_CHARACTERS = 2_000;

/** A call in progress, with what its tool may use and its results so far. */
export interface RunningCall {
    readonly turn: Turn;
    readonly call: ToolCallPart;
    readonly outlet: Outlet;
    readonly context: ToolContext;
    readonly output: ShownOutput;
    /** Files read or written, relative to the root. */
    readonly touched: ReadonlySet<string>;
    /** File versions the model knows from this call. */
    readonly observed: readonly { readonly path: string; readonly hash: string | null }[];
    /** See `ProposedChange`. */
    observeWritten(file: ChangedFile, version: "proposed" | "other"): void;
    readonly tested: TestedTree | undefined;
    noteTested(tested: TestedTree): void;
}

export function runningCall(
    turn: Turn,
    call: ToolCallPart,
    outputs: TurnOutputs,
    outlet: Outlet
): RunningCall {
    const { callId, name } = call;
    const observed: { path: string; hash: string | null }[] = [];
    const touched = new Set<string>();
    const output = new ShownOutput();
    const context: ToolContext = {
        workspace: workspaceOf(turn, callId, outlet, (path) => touched.add(path)),
        shell: closedShell(turn.project.shell),
        signal: turn.signal,
        cache: outputs,
        observe: (path, hash) => observed.push({ path, hash }),
        observed: (path) =>
            observed.findLast((seen) => seen.path === path)?.hash ??
            turn.conversation.state.observed.get(path) ??
            undefined,
        permit: ({ sentence, details, key }) => {
            const more = details === undefined ? {} : { details: String(details) };
            const question = { sentence: String(sentence), key: `${name}:${key}`, ...more };
            return isPermitted(turn, callId, question, outlet);
        },
        jobs: turn.project.jobs,
        ...(turn.project.contained?.start && { startContained: turn.project.contained.start }),
        ...(turn.project.recall && { recall: turn.project.recall }),
        ...askerOf(name, outlet),
        ...agentOf(turn, call, outlet, (...seen) => observeWritten(...seen)),
        note: (text) => {
            const shown = String(text).slice(0, MAX_DESCRIPTION_CHARACTERS);
            outlet.emit({ type: "tool-call-noted", callId, text: shown });
        },
        checkInput: async (schema, input) =>
            (await import("../../../base/check-input.js")).checkInput(schema, input),
        progress: (given) => {
            const text = String(given);
            output.add(text);
            outlet.emit({ type: "tool-output-delta", callId, text });
        },
    };
    const observeWritten: RunningCall["observeWritten"] = (file, version) => {
        const { path, beforeHash, afterHash } = file;
        touched.add(path);
        const seen = context.observed(path);
        // An edit of a version the model has not seen leaves the rest of the file unseen.
        const wasSeen = beforeHash === null || seen === undefined || seen === beforeHash;
        if (version === "proposed" && wasSeen) observed.push({ path, hash: afterHash });
    };
    let tested: TestedTree | undefined;
    return {
        ...{ turn, call, outlet, context, output, touched, observed, observeWritten },
        get tested() {
            return tested;
        },
        noteTested(found) {
            tested = found;
        },
    };
}

/** The workspace as one call reads it; permission for secret files is requested on its behalf. */
export function workspaceOf(
    turn: Turn,
    callId: string,
    outlet: Outlet,
    onFile?: (path: string) => void
): Workspace {
    return turn.project.workspace.readBy({
        permitSecret: async (file, reason) => {
            const what = reason === "secret" ? "looks like a secret" : "the repository ignores";
            const sentence = `Let the model read ${file}, which ${what}`;
            const question = { sentence, key: `secret:${file}` };
            const isAllowed = await isPermitted(turn, callId, question, outlet);
            if (isAllowed) turn.project.secrets?.release(file);
            return isAllowed;
        },
        onFile,
    });
}

async function isPermitted(turn: Turn, callId: string, question: Question, outlet: Outlet) {
    return (await authorize(turn, { kind: "ask", callId, question }, outlet)).kind === "approve";
}

/** Limits a tool's question and adds the tool's name. */
function askerOf(name: string, { askQuestion }: Outlet): Pick<ToolContext, "ask"> {
    if (!askQuestion) return {};
    return {
        ask: ({ title, choices = [], allowText }) =>
            askQuestion({
                asker: name,
                title: String(title),
                choices: choices.slice(0, MAX_CHOICES).map(String),
                allowText: allowText === true || choices.length === 0,
            }),
    };
}

function agentOf(
    turn: Turn,
    { callId, name: by }: ToolCallPart,
    outlet: Outlet,
    observeWritten: RunningCall["observeWritten"]
): Pick<ToolContext, "agent"> {
    const { nested } = turn;
    if (!nested) return {};
    const tell = (usage: NestedUsage) => outlet.emit({ type: "nested-usage", ...usage });
    const start = (options: NestedRunOptions, writing?: NestedWriting) =>
        nested({ ...options, prompt: String(options.prompt) }, { by, callId }, tell, writing);
    const run: NestedAgent["run"] = (options) => start(options);
    const agent = { run, ...searcherOf(turn) };
    if (!mayDelegate(turn)) return { agent };
    const call = { turn, callId, outlet, run: start, observeWritten };
    return { agent: { ...agent, delegate: (tasks) => delegate(call, tasks) } };
}

function searcherOf(turn: Turn): Pick<NestedAgent, "webSearch"> {
    const { provider, info } = turn.model;
    if (!turn.settings.allowsWebSearch || !info.webSearch) return {};
    const { prices } = nestedModel(turn, { webSearch: { maxSearches: 1 } });
    const price = prices?.webSearch;
    const vendor = provider.displayName;
    return { webSearch: { vendor, ...(price !== undefined && { priceUsd: price }) } };
}

/** The result of a call that threw. Throws the reason of an aborted turn. */
export function failureFrom(error: unknown, { turn, call }: RunningCall) {
    turn.signal.throwIfAborted();
    if (isExpectedError(error)) return failureOf(error);
    const stack = error instanceof Error ? error.stack : String(error);
    turn.log.event("error", "tool_bug", { tool: call.name, stack });
    return failure("tool-failed", `${call.name} failed: ${messageOf(error)}`);
}
