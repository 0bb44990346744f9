import type { PlanEntry, ToolCall } from "@agentclientprotocol/sdk";
import * as Type from "typebox";
import { isFields, type Fields, fieldsIn } from "../base/fields.js";
import { checker } from "../base/json-schema.js";
import { visibleLine } from "../base/safe-text.js";
import type { ChangeEntry, Entry, ToolResultEntry } from "../plugin/records.js";
import type { EditorSessionParts } from "./opened-session.js";
import { changeContent, kindOf, locationsOf, outputContent, textContent } from "./tool-content.js";

/** Longer inputs are left out: the diff or the result says more. */
const MAX_INPUT_CHARACTERS = 4_000;

const plan = checker(
    Type.Object({
        todos: Type.Array(
            Type.Object({
                content: Type.String(),
                status: Type.Enum(["pending", "in_progress", "completed"]),
            })
        ),
    })
);

/** What the log holds about each call, by call id. */
export interface LoggedCalls {
    readonly inputs: ReadonlyMap<string, Fields>;
    readonly results: ReadonlyMap<string, ToolResultEntry>;
    readonly changes: ReadonlyMap<string, readonly Pick<ChangeEntry, "files">[]>;
    /** What the user refused. */
    readonly refused: ReadonlyMap<string, string>;
}

export function loggedCalls(entries: readonly Entry[]): LoggedCalls {
    const inputs = new Map<string, Fields>();
    const results = new Map<string, ToolResultEntry>();
    const changes = new Map<string, Pick<ChangeEntry, "files">[]>();
    const refused = new Map<string, string>();
    for (const entry of entries) {
        if (entry.kind === "tool_result") results.set(entry.callId, entry);
        if (entry.kind === "review" && entry.status === "denied") {
            refused.set(entry.callId, entry.what);
        }
        if ((entry.kind === "change" || entry.kind === "drafted") && entry.callId !== undefined) {
            changes.set(entry.callId, [...(changes.get(entry.callId) ?? []), entry]);
        }
        if (entry.kind !== "assistant") continue;
        for (const part of entry.content) {
            if (part.type === "tool-call") inputs.set(part.callId, part.input);
        }
    }
    return { inputs, results, changes, refused };
}

/** A session's calls, and the root as the editor names it. */
export interface CallContext extends Pick<EditorSessionParts, "contents" | "findTool"> {
    readonly editorRoot: string;
}

export function startedCall(
    callId: string,
    { name, intent, input }: { name: string; intent: string; input: Fields | undefined },
    { findTool, editorRoot }: CallContext
): Pick<ToolCall, "toolCallId" | "title" | "kind" | "rawInput" | "locations"> {
    const isShort = JSON.stringify(input ?? {}).length <= MAX_INPUT_CHARACTERS;
    return {
        toolCallId: callId,
        title: visibleLine(intent),
        kind: kindOf(findTool(name)),
        locations: locationsOf(editorRoot, input),
        ...(input && isShort ? { rawInput: input } : {}),
    };
}

/** A call with its result; `undefined` if the log has none. */
export async function finishedCall(
    callId: string,
    { inputs, results, changes, refused }: LoggedCalls,
    context: CallContext
): Promise<ToolCall | undefined> {
    const result = results.get(callId);
    if (!result) return undefined;
    const input = inputs.get(callId);
    const { name, intent, ok, summary, display, observed = [] } = result;
    const files = (changes.get(callId) ?? []).flatMap((change) => change.files);
    const diffs = await changeContent(context.editorRoot, files, context.contents);
    const touched = [...observed, ...files].map(({ path }) => path);
    const said = ok ? (display === undefined ? [] : [outputContent(display)]) : failureOf(result);
    // How a command ended is not in its output.
    const isShown = context.findTool(name)?.approval !== "shell" && diffs.length + said.length > 0;
    const rejected = ok ? refused.get(callId) : undefined;
    const notes = [
        isShown || summary === undefined ? "" : summary,
        rejected === undefined ? "" : `Rejected ${rejected}`,
    ].filter((note) => note !== "");
    return {
        ...startedCall(callId, { name, intent, input }, context),
        status: ok ? "completed" : "failed",
        locations: locationsOf(context.editorRoot, input, touched),
        content: [...diffs, ...said, ...notes.map((note) => textContent(visibleLine(note)))],
    };
}

function failureOf({ content }: ToolResultEntry) {
    const { error } = fieldsIn(content) ?? {};
    if (!isFields(error)) return [];
    const sentences = [error.message, error.hint].filter((text) => typeof text === "string");
    return [textContent(visibleLine(sentences.join(" ")))];
}

/** The todo list in a result, from whichever tool keeps it. */
export function planOf(result: ToolResultEntry | undefined): PlanEntry[] | undefined {
    if (!result?.ok) return undefined;
    const { data } = fieldsIn(result.content) ?? {};
    if (!plan.fits(data)) return undefined;
    return data.todos.map(({ content, status }) => ({ content, status, priority: "medium" }));
}
