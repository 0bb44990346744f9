import type { Message, ModelEvent } from "north-cli/plugin";
import { CallCollector, type CallPiece, incompleteStream } from "north-cli/provider-kit";

// https://docs.ollama.com/api/chat. Any field may be missing, or `null` from what imitates it.

/** A line of a reply. */
export interface Chunk {
    readonly message?: {
        readonly content?: string | null;
        readonly thinking?: string | null;
        readonly tool_calls?: readonly CallPiece[] | null;
    } | null;
    readonly done?: boolean;
    readonly done_reason?: string;
    readonly prompt_eval_count?: number | null;
    readonly eval_count?: number | null;
    readonly error?: string;
}

/** Converts a reply's lines to North's events. Throws `incomplete-stream` if the end is missing. */
export async function* toModelEvents(
    chunks: AsyncIterable<Chunk>,
    messages: readonly Message[]
): AsyncGenerator<ModelEvent, void> {
    const calls = new CallCollector(messages);
    let index = 0;
    let isThinking = false;
    let end: Chunk | undefined;
    for await (const chunk of chunks) {
        const { content, thinking, tool_calls } = chunk.message ?? {};
        const made = tool_calls ?? [];
        if (thinking) {
            isThinking = true;
            yield { type: "thinking", text: thinking };
        }
        if (isThinking && (content || made.length > 0 || chunk.done)) {
            isThinking = false;
            yield { type: "thinking-end" };
        }
        if (content) yield { type: "text", text: content };
        // Each call comes whole.
        for (const call of made) yield* calls.add({ ...call, index: index++ });
        if (chunk.done) end = chunk;
    }
    if (end === undefined) throw incompleteStream();
    const [inputTokens, outputTokens] = [end.prompt_eval_count ?? 0, end.eval_count ?? 0];
    yield { type: "usage", usage: { inputTokens, outputTokens } };
    yield* calls.finished();
    yield toStop(end.done_reason ?? "stop", calls);
}

function toStop(reason: string, { isEmpty }: CallCollector): ModelEvent {
    if (reason === "length") return { type: "stop", reason: "max-output" };
    if (!isEmpty) return { type: "stop", reason: "tool-calls" };
    return { type: "stop", reason: "end", ...(reason === "stop" ? {} : { detail: reason }) };
}
