import { addEntry } from "../../core/agent/turn.js";
import type { ConversationLog } from "../../core/conversation/conversation-log.js";
import { reminder } from "../../core/message/reminder.js";
import type { Entry } from "../../plugin/index.js";
import type { Project } from "../project/open-project.js";
import { systemRuntime } from "../runtime.js";

const TOLD =
    "The sub-agents of your last calls were interrupted, and none of their changes was merged: the files are as before those calls. Start again what is still needed.";

/**
 * Finds sub-agents that ended with the conversation before their changes were merged. The model is
 * told once; resolves to a notice for the user.
 */
export async function noteUnmergedRuns(
    { stores }: Pick<Project, "stores">,
    conversation: ConversationLog
): Promise<readonly string[]> {
    const calls = unansweredCalls(conversation.state.entries);
    if (calls.size === 0) return [];
    const runs = await stores.conversations.nestedRuns(conversation.id);
    const unmerged = runs.filter(({ nested }) => calls.has(nested?.callId ?? ""));
    if (unmerged.length === 0) return [];
    const place = { conversation, runtime: systemRuntime };
    addEntry(place, { kind: "host_note", text: reminder(TOLD) });
    const ids = unmerged.map(({ id }) => id).join(", ");
    return [
        `Sub-agents were interrupted, and nothing they did was merged: ${ids}. ` +
            "`north conversations show ID` shows what each had done.",
    ];
}

/** Calls of the last reply, if nothing was said since. */
function unansweredCalls(entries: readonly Entry[]): ReadonlySet<string> {
    const from = entries.findLastIndex(({ kind }) => kind === "assistant");
    const reply = entries[from];
    const later = entries.slice(from + 1);
    const wentOn = later.some(({ kind }) => kind === "user" || kind === "host_note");
    if (reply?.kind !== "assistant" || wentOn) return new Set();
    const calls = reply.content.flatMap((part) => (part.type === "tool-call" ? part.callId : []));
    const done = later.flatMap((entry) => (entry.kind === "tool_result" ? entry.callId : []));
    return new Set(calls.filter((callId) => !done.includes(callId)));
}
