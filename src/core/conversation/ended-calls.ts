import type { ToolResultPart } from "../../plugin/index.js";
import type { AssistantEntry, Entry, ToolResultEntry } from "../../plugin/records.js";
import { closeCalls, resultPart } from "./reply-messages.js";

/** Adds what the model is told about calls that a kill or a cancelled question left without a result. */
export function withEndedCalls(entries: readonly Entry[]): readonly Entry[] {
    const finished = new Map<string, ToolResultPart>();
    const denied = new Set<string>();
    for (const entry of entries) {
        if (entry.kind === "tool_result") finished.set(entry.callId, resultPart(entry));
        if (entry.kind === "review" && entry.status === "denied") denied.add(entry.callId);
    }
    const ended: Entry[] = [];
    const all = entries.flatMap((entry): Entry | readonly Entry[] => {
        if (entry.kind !== "assistant" && entry.kind !== "user") return entry;
        const before = ended.splice(0);
        if (entry.kind === "assistant") ended.push(...endedCalls(entry, finished, denied));
        return [...before, entry];
    });
    return [...all, ...ended];
}

/** A reply that is not complete has its own mark, and none of its calls was started. */
function endedCalls(
    { content, status, at }: AssistantEntry,
    finished: ReadonlyMap<string, ToolResultPart>,
    denied: Set<string>
): readonly ToolResultEntry[] {
    if (status !== "complete") return [];
    const calls = content.filter((part) => part.type === "tool-call");
    const results = new Map(
        calls.flatMap(({ callId }) => {
            const result = finished.get(callId);
            return result ? [[callId, result]] : [];
        })
    );
    closeCalls({ calls, results, denied });
    const ended = calls.filter(({ callId }) => !finished.has(callId));
    return ended.map(({ callId, name, input }) => {
        const told = Object.values(input).find((value) => typeof value === "string");
        const intent = told === undefined ? name : `${name} ${told}`;
        const result = { ok: false, durationMs: 0, content: results.get(callId)?.content ?? "" };
        return { kind: "tool_result", id: callId, callId, at, name, intent, ...result };
    });
}
