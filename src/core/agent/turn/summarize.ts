import type { Usage } from "../../../plugin/index.js";
import { isExpectedError } from "../../../base/north-error.js";
import { messagesTokens, tokensOf } from "../../context/estimate.js";
import { parseSummary, type StructuredSummary } from "../../context/structured-summary.js";
import { factsBefore } from "../../context/summary-facts.js";
import { placeToKeepFrom, type KeepLimits } from "../../context/summary-keep.js";
import { summaryRequest } from "../../context/summary-request.js";
import { summaryText } from "../../context/summary-text.js";
import { contextTokensOf } from "../../conversation/fold.js";
import { billOf } from "../../costs/price.js";
import type { AgentEvent } from "../events.js";
import { receiveReply } from "../reply/receive-reply.js";
import { retryDecision } from "../reply/retry.js";
import { mergedUsage, type Turn } from "../turn.js";
import { withinBudget } from "./within-budget.js";

/** What it takes to summarize a conversation. */
export type Summarizing = Pick<
    Turn,
    | "conversation"
    | "record"
    | "provider"
    | "model"
    | "connection"
    | "ledger"
    | "budget"
    | "approver"
    | "edges"
    | "signal"
    | "log"
>;

/** What became of it. Where it is not `summarized`, nothing was changed. */
export type SummaryOutcome =
    | { readonly kind: "summarized"; readonly messages: number }
    | { readonly kind: "nothing-to-summarize" }
    | { readonly kind: "failed"; readonly reason: string };

/** Told of what each request used, also where it failed. */
export type CountUsage = (usage: Usage, costUsd: number | null) => void;

/** A summary that cannot be used. */
class UselessSummary extends Error {}

/**
 * Has the model summarize the beginning of the conversation and puts the summary in its place. Throws
 * only a spent budget, the signal's reason and bugs.
 */
export async function* summarize(
    turn: Summarizing,
    limits: KeepLimits,
    count: CountUsage
): AsyncGenerator<AgentEvent, SummaryOutcome> {
    const { conversation, model } = turn;
    conversation.closeOpenCalls();
    const place = placeToKeepFrom(conversation, limits);
    if (place === undefined) return { kind: "nothing-to-summarize" };
    try {
        const summary = yield* askWithRetries(turn, place.index, count);
        const text = summaryText({
            root: conversation.root,
            summary,
            facts: factsBefore(conversation.entries, place.entryId, model.contextTokens),
            reminders: conversation.reminders.values(),
        });
        if (tokensOf(text.length) >= replacedTokens(turn, place.index)) {
            throw new UselessSummary("The summary is longer than what it would stand in for.");
        }

        turn.record({
            type: "rolling_summary_set",
            summary: text,
            keepFrom: place.entryId,
            at: turn.edges.now(),
        });
        return { kind: "summarized", messages: place.index };
    } catch (error) {
        turn.signal.throwIfAborted();
        if (!(error instanceof UselessSummary) && !isModelFailure(error)) throw error;
        turn.log.event("error", "summary_failed", { reason: error.message });
        return { kind: "failed", reason: error.message };
    }
}

/** Failures of the provider's; those of the log and of the budget end the turn. */
const MODEL_FAILURES: ReadonlySet<string> = new Set([
    "authentication",
    "rate-limited",
    "overloaded",
    "server-error",
    "network",
    "timeout",
    "invalid-request",
    "context-overflow",
    "incomplete-stream",
]);

function isModelFailure(error: unknown): error is Error {
    return error instanceof Error && isExpectedError(error) && MODEL_FAILURES.has(error.code);
}

/** What goes, without what the project asks for: that is told again beside the summary. */
function replacedTokens({ conversation }: Summarizing, end: number): number {
    const replaced = conversation.messages.slice(0, end);
    let toldAgain = 0;
    for (const part of replaced.flatMap(({ content }) => [...content])) {
        for (const { kind, characters } of conversation.shares.of(part)) {
            const all = part.type === "text" ? part.text.length : 0;
            if (kind !== "attachments") toldAgain += characters ?? all;
        }
    }
    return messagesTokens(replaced) - tokensOf(toldAgain);
}

async function* askWithRetries(
    turn: Summarizing,
    end: number,
    count: CountUsage
): AsyncGenerator<AgentEvent, StructuredSummary> {
    for (let attempt = 1; ; attempt += 1) {
        yield* withinBudget(turn);
        try {
            return yield* ask(turn, end, count);
        } catch (error) {
            if (turn.signal.aborted) throw error;
            const decision = retryDecision(error, attempt, turn.edges.random);
            if (decision.kind === "give-up") throw decision.error;
            const { delayMs, error: failure } = decision;
            yield { type: "retry-scheduled", attempt, delayMs, reason: failure.message };
            await turn.edges.sleep(delayMs, turn.signal);
        }
    }
}

async function* ask(
    turn: Summarizing,
    end: number,
    count: CountUsage
): AsyncGenerator<AgentEvent, StructuredSummary> {
    const { conversation, model } = turn;
    const { shares, id, messages } = conversation;
    const replaced = messages.slice(0, end);
    const request = summaryRequest({ model, conversationId: id, messages: replaced, shares });
    const answer: string[] = [];
    let usage: Usage = {};
    let costUsd: number | null = 0;
    try {
        for await (const event of receiveReply(turn, request)) {
            if (event.type === "text") answer.push(event.text);
            else if (event.type === "usage") usage = mergedUsage(usage, event.usage);
        }
    } finally {
        costUsd = recordCost(turn, usage);
        count(usage, costUsd);
    }
    yield { type: "usage-reported", usage, costUsd, contextTokens: conversation.contextTokens };
    const summary = parseSummary(answer.join(""));
    if (!summary) throw new UselessSummary("The model did not answer with a summary.");
    return summary;
}

function recordCost(turn: Summarizing, usage: Usage): number | null {
    const { conversation, provider, model, edges } = turn;
    const bill = billOf(usage, model);
    if (contextTokensOf(usage) === 0) return 0;
    turn.ledger.record({
        at: edges.now(),
        conversationId: conversation.id,
        project: conversation.root,
        provider: provider.id,
        model: model.id,
        usage,
        ...bill,
    });
    return bill.costUsd;
}
