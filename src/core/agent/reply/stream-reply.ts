import type { ModelInfo, StopReason, ToolCallPart, Usage } from "../../../plugin/index.js";
import { NorthError } from "../../../base/north-error.js";
import type { AssistantChanges, AssistantStatus } from "../../../plugin/records.js";
import { billOf, contextTokensOf, inTier, priceOf } from "../../costs/price.js";
import { type CacheLoss, cacheLossOf, cacheLossText } from "../../costs/cache-loss.js";
import { cutPromptText } from "../../message/cut-prompt.js";
import { expectedTokens } from "../../message/estimate.js";
import type { AgentEvent } from "../events.js";
import { newEntry, requestOf, type ModelAccess, type Turn } from "../turn.js";
import { observedReply } from "./receive-reply.js";
import type { ReplyDraft } from "./reply-draft.js";
import type { ReplyFiles } from "./reply-files.js";

/** A complete reply; failures are thrown. */
export interface Reply {
    /** Excludes the files in it. */
    readonly text: string;
    readonly files: ReplyFiles;
    readonly calls: readonly ToolCallPart[];
    readonly stopReason: StopReason;
    readonly stopDetail?: string | undefined;
}

/** Streams a reply, storing each piece before yielding it. Always recorded in log and ledger. */
export async function* streamReply(
    turn: Turn,
    draft: ReplyDraft
): AsyncGenerator<AgentEvent, Reply> {
    turn.conversation.state.closeOpenCalls();
    const request = requestOf(turn);
    const { provider, info: model } = turn.model;
    const entry = newEntry(turn.runtime, {
        ...{ kind: "assistant", provider: provider.id, model: model.id },
        ...{ status: "streaming", content: [] },
    } as const);
    const { id } = entry;
    const { state: conversation } = turn.conversation;
    const { mode } = turn.settings;
    const sent = { conversation, provider: provider.id, mode, at: turn.runtime.now() };
    turn.conversation.record({ type: "entry_added", entry });
    yield {
        type: "request-started",
        estimatedTokens: expectedTokens(request, turn.conversation.state),
    };
    let status: AssistantStatus = "interrupted";
    let loss: CacheLoss | undefined;
    try {
        for await (const event of observedReply(turn, request, id)) {
            draft.requireRoom(event);
            if (event.type === "text") {
                turn.conversation.record({ type: "entry_updated", id, appendText: event.text });
            }
            yield* draft.take(event);
        }
        if (draft.stopReason === undefined) throw endedEarly();
        status = "complete";
    } finally {
        if (turn.signal.aborted && status !== "complete") status = "cancelled";
        const billed = inTier(model, draft.tier);
        loss = cacheLossOf({ ...sent, model: billed }, draft.usage);
        draft.costUsd = recordEnd(turn, { id, status, billed }, draft, loss);
        draft.end();
    }
    const { usage, costUsd } = draft;
    yield { type: "usage-reported", usage, costUsd, contextTokens: contextTokensOf(usage) };
    const lossText = loss && cacheLossText(loss);
    if (lossText !== undefined) yield { type: "notice", text: lossText };
    const cutText = cutPromptText(request, usage, provider.displayName);
    // Once for a model: every further request is cut as well.
    if (cutText !== undefined && turn.session.once.first(`cut: ${provider.id}/${model.id}`)) {
        turn.log.event("error", "prompt_cut", { model: model.id, usage });
        yield { type: "notice", text: cutText };
    }
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

interface RepliedEntry {
    readonly id: string;
    readonly status: AssistantStatus;
    readonly billed: ModelInfo;
}

function recordEnd(
    turn: Turn,
    { id, status, billed }: RepliedEntry,
    draft: ReplyDraft,
    cacheLoss: CacheLoss | undefined
): number | null {
    const { usage, stopReason } = draft;
    const costUsd = priceOf(usage, billed);
    const changes: AssistantChanges = {
        status,
        content: draft.finished(),
        usage,
        ...(costUsd !== null && { costUsd }),
        ...(stopReason && { stopReason }),
    };
    turn.conversation.record({ type: "entry_updated", id, changes });
    recordCost(turn, usage, billed, cacheLoss);
    return costUsd;
}

/** Records a request in the ledger, at the prices of `billed`, unless it used nothing. */
export function recordCost(
    { conversation: { state }, model: { provider, ledger }, runtime }: ModelAccess,
    usage: Usage,
    billed: ModelInfo,
    cacheLoss?: CacheLoss
): void {
    if (contextTokensOf(usage) === 0) return;
    ledger.record({
        at: runtime.now(),
        conversationId: state.id,
        project: state.root,
        provider: provider.id,
        model: billed.id,
        usage,
        ...billOf(usage, billed),
        ...(cacheLoss && { cacheLoss }),
    });
}
