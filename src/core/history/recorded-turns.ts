import { wasStopped } from "../conversation/reply-messages.js";
import { NorthError } from "../../base/north-error.js";
import { isEdit } from "../draft/open-draft.js";
import { turnsOf } from "../conversation/turns.js";
import type { ModelConnection, ToolCallPart } from "../../plugin/index.js";
import type {
    AssistantEntry,
    ChangeEntry,
    DraftedEntry,
    Entry,
    ReviewEntry,
    ToolResultEntry,
    UserEntry,
} from "../../plugin/records.js";

export type RecordedChange = ChangeEntry | DraftedEntry;

export interface RecordedTurn {
    /** From 1. */
    readonly number: number;
    readonly message: UserEntry;
    readonly replies: readonly AssistantEntry[];
    readonly results: readonly ToolResultEntry[];
    readonly reviews: readonly ReviewEntry[];
    /** Of the project and of its draft; includes undos and drops after the turn. */
    readonly changes: readonly RecordedChange[];
}

export function recordedTurns(entries: readonly Entry[]): readonly RecordedTurn[] {
    return turnsOf(entries).flatMap(({ number, message, entries }) => {
        if (!message) return [];
        const all = <Kind extends Entry["kind"]>(kind: Kind) =>
            entries.filter((entry): entry is Extract<Entry, { kind: Kind }> => entry.kind === kind);
        return {
            number,
            message,
            replies: all("assistant"),
            results: all("tool_result"),
            reviews: all("review"),
            changes: entries.filter(isEdit),
        };
    });
}

/** A reply's finished calls; those cut off by a cancel or a kill are not replayed. */
function finishedCalls(reply: AssistantEntry, turn: RecordedTurn): readonly ToolCallPart[] {
    const calls = reply.content.filter((part) => part.type === "tool-call");
    return calls.filter(
        ({ callId, refusedInput }) =>
            refusedInput === undefined &&
            turn.results.some((result) => result.callId === callId && !wasStopped(result.content))
    );
}

/** The ids of the finished calls of a turn. */
export function madeCalls(turn: RecordedTurn): ReadonlySet<string> {
    const calls = turn.replies.flatMap((reply) => finishedCalls(reply, turn));
    return new Set(calls.map(({ callId }) => callId));
}

interface RecordedModel {
    /** Called before each reply is replayed; `calls` are the finished ones. */
    prepare(reply: AssistantEntry, calls: readonly ToolCallPart[]): Promise<void>;
    /** Called where the recording breaks off; aborts the signal of `stream`. */
    stop(): void;
}

/** Replays the replies of a turn in order, up to where it was cut off. */
export function recordedModel(
    turn: RecordedTurn,
    { prepare, stop }: RecordedModel
): ModelConnection {
    const replies = [...turn.replies];
    return {
        async *stream(_request, { signal }) {
            const reply = replies.shift();
            const calls = reply ? finishedCalls(reply, turn) : [];
            if (reply) await prepare(reply, calls);
            for (const part of reply?.content ?? []) {
                if (part.type !== "tool-call") yield part;
                else if (calls.includes(part)) yield part;
            }
            const wasRetried = reply?.status === "interrupted" && replies.length > 0;
            if (wasRetried) throw interrupted();
            if (!reply || reply.status !== "complete") {
                stop();
                signal.throwIfAborted();
            }
            const wanted = reply?.content.filter(({ type }) => type === "tool-call") ?? [];
            if (calls.length < wanted.length) replies.length = 0;
            yield {
                type: "stop",
                reason: reply?.stopReason ?? (calls.length > 0 ? "tool-calls" : "end"),
            };
        },
    };
}

function interrupted(): NorthError {
    return new NorthError("network", "The recorded reply broke off here.", [], { retryable: true });
}
