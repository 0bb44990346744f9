import type {
    AssistantMessage,
    ModelEvent,
    StopReason,
    ThinkingPart,
    ToolCallPart,
    Usage,
} from "../../../plugin/index.js";
import { NorthError } from "../../../base/north-error.js";
import { contextTokensOf } from "../../conversation/fold.js";
import type { AssistantChanges, AssistantStatus } from "../../../plugin/records.js";
import { billOf, priceOf } from "../../costs/price.js";
import { type CacheLoss, cacheLossOf, cacheLossText } from "../../costs/cache-loss.js";
import { expectedTokens } from "../../context/estimate.js";
import type { AgentEvent } from "../events.js";
import { boundedCall } from "./bounded-call.js";
import { observedReply } from "./observed-reply.js";
import { ReplyFiles } from "./reply-files.js";
import { mergedUsage, newEntry, requestOf, type Requesting, type Turn } from "../turn.js";

type Part = AssistantMessage["content"][number];

/** A complete reply; failures are thrown. */
export interface Reply {
    /** Excludes the files in it. */
    readonly text: string;
    readonly files: ReplyFiles;
    readonly calls: readonly ToolCallPart[];
    readonly stopReason: StopReason;
    readonly stopDetail?: string | undefined;
}

/** Usage and cost of one attempt, successful or not. */
export interface Attempt {
    usage: Usage;
    costUsd: number | null;
    /** The user has seen part of it. */
    isVisible: boolean;
    text: string;
    files?: ReplyFiles;
}

/**
 * Sends one request and streams the reply: each piece is stored, then yielded. However it ends, the
 * log records the outcome and the ledger the usage.
 */
export async function* streamReply(
    turn: Turn,
    attempt: Attempt
): AsyncGenerator<AgentEvent, Reply> {
    turn.conversation.closeOpenCalls();
    const request = requestOf(turn);
    const { provider, model } = turn;
    const entry = newEntry(turn.edges, {
        ...{ kind: "assistant", provider: provider.id, model: model.id },
        ...{ status: "streaming", content: [] },
    } as const);
    const { id } = entry;
    const sentAt = turn.edges.now();
    const draft = new ReplyDraft(turn);
    attempt.files = draft.files;
    turn.record({ type: "entry_added", entry });
    yield { type: "request-started", estimatedTokens: expectedTokens(request, turn.conversation) };
    let status: AssistantStatus = "interrupted";
    let loss: CacheLoss | undefined;
    try {
        for await (const event of observedReply(turn, request, id)) {
            if (event.type === "text") {
                turn.record({ type: "entry_updated", id, appendText: event.text });
            }

            attempt.isVisible ||= event.type === "text";
            yield* draft.take(event);
        }
        if (draft.stopReason === undefined) throw endedEarly();
        status = "complete";
    } finally {
        if (turn.signal.aborted && status !== "complete") status = "cancelled";
        attempt.usage = draft.usage;
        attempt.text = draft.text;
        loss = cacheLossOf({ ...turn, provider: provider.id, at: sentAt }, draft.usage);
        attempt.costUsd = settle(turn, id, status, draft, loss);
        draft.end();
    }
    yield {
        type: "usage-reported",
        usage: draft.usage,
        costUsd: attempt.costUsd,
        contextTokens: contextTokensOf(draft.usage),
    };
    const lossText = loss && cacheLossText(loss);
    if (lossText !== undefined) yield { type: "notice", text: lossText };
    const { text, files, calls, stopReason, stopDetail } = draft;
    return { text, files, calls, stopReason, stopDetail };
}

function endedEarly(): NorthError {
    return new NorthError(
        "incomplete-stream",
        "The reply ended before it was complete.",
        ["Try again."],
        { retryable: true }
    );
}

function settle(
    turn: Turn,
    id: string,
    status: AssistantStatus,
    draft: ReplyDraft,
    cacheLoss: CacheLoss | undefined
): number | null {
    const { usage, stopReason } = draft;
    const costUsd = priceOf(usage, turn.model);
    const changes: AssistantChanges = {
        status,
        content: draft.finished(),
        usage,
        ...(costUsd !== null && { costUsd }),
        ...(stopReason && { stopReason }),
    };
    turn.record({ type: "entry_updated", id, changes });
    recordCost(turn, usage, cacheLoss);
    return costUsd;
}

/** Enters a request into the ledger, unless it used nothing. */
export function recordCost(
    { conversation, provider, model, edges, ledger }: Requesting,
    usage: Usage,
    cacheLoss?: CacheLoss
): void {
    if (contextTokensOf(usage) === 0) return;
    ledger.record({
        at: edges.now(),
        conversationId: conversation.id,
        project: conversation.root,
        provider: provider.id,
        model: model.id,
        usage,
        ...billOf(usage, model),
        ...(cacheLoss && { cacheLoss }),
    });
}

/** Stop reasons that may cut the reply short. */
const CUTTING: ReadonlySet<StopReason> = new Set(["max-output", "context-overflow"]);

class ReplyDraft {
    usage: Usage = {};
    stopReason: StopReason | undefined;
    stopDetail: string | undefined;
    private readonly parts: Part[] = [];
    private openText: string[] = [];
    private openThinking: string[] = [];
    readonly files: ReplyFiles;

    constructor(private readonly turn: Turn) {
        this.files = new ReplyFiles(turn);
    }

    get calls(): readonly ToolCallPart[] {
        return this.parts.filter((part) => part.type === "tool-call");
    }

    get text(): string {
        return this.files.text;
    }

    *take(event: ModelEvent): Generator<AgentEvent> {
        switch (event.type) {
            case "text":
                this.openText.push(event.text);
                yield* this.files.take(event.text);
                return;
            case "thinking":
                yield* this.closeText();
                this.openThinking.push(event.text);
                yield { type: "thinking-delta", text: event.text };
                return;
            case "thinking-end":
                yield* this.closeText();
                this.closeThinking(event.opaque);
                yield { type: "thinking-finished" };
                return;
            case "tool-call-start":
                yield* this.closeText();
                yield { type: "tool-call-preparing", callId: event.callId, name: event.name };
                return;
            case "tool-call": {
                yield* this.closeText();
                const { type: _, ...call } = event;
                this.parts.push(boundedCall({ type: "tool-call", ...call }, this.turn.tools));
                return;
            }
            case "usage":
                this.usage = mergedUsage(this.usage, event.usage);
                return;
            case "stop":
                yield* this.closeText();
                yield* this.files.end();
                if (CUTTING.has(event.reason)) this.markCutCall();
                this.stopReason = event.reason;
                this.stopDetail = event.detail;
                return;
            default:
                event satisfies never;
        }
    }

    /** Stores the held-back text of a reply that broke off; nobody is notified. */
    end(): void {
        Array.from(this.files.end());
    }

    finished(): readonly Part[] {
        const text = this.openText.join("");
        return [
            ...this.parts,
            ...(this.openThinking.length > 0 ? [this.thought()] : []),
            ...(text === "" ? [] : [{ type: "text" as const, text }]),
        ];
    }

    private *closeText(): Generator<AgentEvent> {
        if (this.openText.length === 0) return;
        this.parts.push({ type: "text", text: this.openText.join("") });
        this.openText = [];
        yield* this.files.endBlock();
    }

    /** A call cut before its first argument looks like one without arguments. */
    private markCutCall(): void {
        const last = this.parts.at(-1);
        if (last?.type !== "tool-call" || Object.keys(last.input).length > 0) return;
        this.parts.splice(-1, 1, { malformedInput: "", ...last });
    }

    private closeThinking(opaque: Extract<ModelEvent, { type: "thinking-end" }>["opaque"]): void {
        this.parts.push({ ...this.thought(), ...(opaque === undefined ? {} : { opaque }) });
        this.openThinking = [];
    }

    private thought(): ThinkingPart {
        const text = this.openThinking.join("");
        const { provider, model } = this.turn;
        return { type: "thinking", text, provider: provider.id, model: model.id };
    }
}
