import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { commandText } from "../core/conversation/command-text.js";
import { withEndedCalls } from "../core/conversation/ended-calls.js";
import { textWithoutFiles } from "../core/files/file-block-parser.js";
import type { AssistantEntry, Entry } from "../plugin/records.js";
import { finishedCall, loggedCalls, planOf, type LoggedCalls } from "./call-updates.js";
import type { TurnContext } from "./turn-updates.js";
import { changeContent } from "./tool-content.js";

export async function replay(context: TurnContext): Promise<void> {
    const { session, client } = context;
    const shown = withEndedCalls(session.entries);
    const logged = loggedCalls(shown);
    for (const entry of shown) {
        for (const update of updatesOf(entry)) await client.send(update);
        await replayCall(entry, logged, context);
    }
    const plans = [...logged.results.values()].map(planOf).filter((plan) => plan !== undefined);
    const entries = plans.at(-1);
    if (entries) await client.send({ sessionUpdate: "plan", entries });
}

function updatesOf(entry: Entry): SessionUpdate[] {
    switch (entry.kind) {
        case "user":
            return [chunk("user_message_chunk", entry.id, entry.text)];
        case "command":
            return [chunk("user_message_chunk", entry.id, commandText(entry))];
        case "assistant":
            return answerOf(entry);
        case "tool_result":
        case "change":
        case "drafted":
        case "review":
        case "host_note":
            return [];
        default:
            return entry satisfies never;
    }
}

function answerOf({ id, content }: AssistantEntry): SessionUpdate[] {
    return content.flatMap((part) => {
        if (part.type === "thinking" && part.text !== "") {
            return [chunk("agent_thought_chunk", id, part.text)];
        }
        const text = part.type === "text" ? textWithoutFiles(part.text) : "";
        return text === "" ? [] : [chunk("agent_message_chunk", id, text)];
    });
}

function chunk(
    sessionUpdate: "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk",
    messageId: string,
    text: string
): SessionUpdate {
    return { sessionUpdate, messageId, content: { type: "text", text } };
}

async function replayCall(entry: Entry, logged: LoggedCalls, context: TurnContext): Promise<void> {
    const { client, editorRoot, contents } = context;
    if (entry.kind === "tool_result") {
        const call = await finishedCall(entry.callId, logged, context);
        if (call) await client.call(call);
        return;
    }
    if (entry.kind !== "change" && entry.kind !== "drafted") return;
    const { callId = entry.id, files, undoes } = entry;
    // A change without a call is a streamed file or an undo.
    if (logged.inputs.has(callId)) return;
    await client.call({
        toolCallId: callId,
        title: `${undoes ? "Undo" : "Write"} ${files.map(({ path }) => path).join(", ")}`,
        kind: "edit",
        status: "completed",
        content: await changeContent(editorRoot, files, contents),
    });
}
