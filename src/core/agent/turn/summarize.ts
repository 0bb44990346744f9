import { isExpectedError } from "../../../base/north-error.js";
import { messagesTokens, tokensOf } from "../../message/estimate.js";
import { parseSummary, type StructuredSummary } from "../../summary/structured-summary.js";
import { factsBefore } from "../../summary/summary-facts.js";
import { firstKeptMessage, type KeepLimits } from "../../summary/summary-keep.js";
import { summaryRequest } from "../../summary/summary-request.js";
import { summaryText } from "../../summary/summary-text.js";
import type { MessageStart } from "../../conversation/fold.js";
import type { AgentEvent } from "../events.js";
import type { ModelAccess } from "../turn.js";
import { type CountUsage, isRejection, oneOffReply } from "./one-off-reply.js";

/** Nothing changed unless it is `summarized`. */
export type SummaryOutcome =
    | { readonly kind: "summarized"; readonly messages: number }
    | { readonly kind: "nothing-to-summarize" }
    | { readonly kind: "failed"; readonly reason: string };

/** Max unusable answers before summarizing without the model. */
const MAX_UNUSABLE_ANSWERS = 2;

interface ReplacedPart {
    readonly start: MessageStart;
    /** The text that replaces it; `undefined` if that is no shorter. */
    textWith(summary: StructuredSummary | undefined): string | undefined;
}

/**
 * Replaces the beginning of the conversation with the model's summary, or with facts from the log
 * if the model fails. Throws only a spent budget, the signal's reason and bugs.
 */
export async function* summarize(
    turn: ModelAccess,
    limits: KeepLimits,
    count: CountUsage
): AsyncGenerator<AgentEvent, SummaryOutcome> {
    const { state: conversation } = turn.conversation;
    conversation.closeOpenCalls();
    const start = firstKeptMessage(conversation, limits);
    if (start === undefined) return { kind: "nothing-to-summarize" };
    const replaced = replacedPart(turn, start);
    try {
        const byModel = yield* textByModel(turn, replaced, count);
        if (byModel === undefined) {
            const text =
                "The model gave no usable summary, so North keeps your messages and lists of changed files and commands instead.";
            yield { type: "notice", text };
        }
        const text = byModel ?? replaced.textWith(undefined);
        if (text === undefined) {
            return failed(turn, "A summary would be longer than what it replaces.");
        }

        turn.conversation.record({
            type: "rolling_summary_set",
            summary: text,
            keepFrom: start.entryId,
            ...(byModel === undefined ? { withoutModel: true } : {}),
            at: turn.runtime.now(),
        });
        return { kind: "summarized", messages: start.index };
    } catch (error) {
        turn.signal.throwIfAborted();
        if (!isTransientFailure(error)) throw error;
        return failed(turn, error.message);
    }
}

function failed(turn: ModelAccess, reason: string): SummaryOutcome {
    turn.log.event("error", "summary_failed", { reason });
    return { kind: "failed", reason };
}

function replacedPart(turn: ModelAccess, start: MessageStart): ReplacedPart {
    const { state: conversation } = turn.conversation;
    const { info: model } = turn.model;
    const facts = factsBefore(conversation.entries, start.entryId, model.contextTokens);
    const replaced = replacedTokens(turn, start.index);
    return {
        start,
        textWith(summary) {
            const reminders = conversation.reminders.values();
            const text = summaryText({ root: conversation.root, summary, facts, reminders });
            return tokensOf(text.length) < replaced ? text : undefined;
        },
    };
}

/** `undefined` if the model gave no usable summary, now or earlier. */
async function* textByModel(
    turn: ModelAccess,
    { start, textWith }: ReplacedPart,
    count: CountUsage
): AsyncGenerator<AgentEvent, string | undefined> {
    if (turn.conversation.state.isSummarizedWithoutModel) return undefined;
    for (let attempt = 1; ; attempt += 1) {
        const summary = yield* ask(turn, start.index, count);
        const text = summary && textWith(summary);
        if (text !== undefined || attempt === MAX_UNUSABLE_ANSWERS) return text;
        turn.log.event("error", "summary_useless", { attempt });
        yield { type: "notice", text: "The model gave no usable summary; asking once more." };
    }
}

/** Possibly transient failures; those of the log and the budget end the turn. */
const TRANSIENT_FAILURES: ReadonlySet<string> = new Set([
    "authentication",
    "rate-limited",
    "overloaded",
    "server-error",
    "network",
    "timeout",
    "incomplete-stream",
]);

function isTransientFailure(error: unknown): error is Error {
    return error instanceof Error && isExpectedError(error) && TRANSIENT_FAILURES.has(error.code);
}

/** Tokens of the replaced messages, without project context, which is repeated with the summary. */
function replacedTokens(
    { conversation: { state: conversation } }: ModelAccess,
    end: number
): number {
    const replaced = conversation.messages.slice(0, end);
    let repeatedCharacters = 0;
    for (const part of replaced.flatMap(({ content }) => [...content])) {
        for (const { kind, characters } of conversation.context.sharesOf(part)) {
            const all = part.type === "text" ? part.text.length : 0;
            if (kind !== "attachments") repeatedCharacters += characters ?? all;
        }
    }
    return messagesTokens(replaced) - tokensOf(repeatedCharacters);
}

async function* ask(
    turn: ModelAccess,
    end: number,
    count: CountUsage
): AsyncGenerator<AgentEvent, StructuredSummary | undefined> {
    const { context, id, messages } = turn.conversation.state;
    const replaced = messages.slice(0, end);
    const makeRequest = () =>
        summaryRequest({ model: turn.model.info, conversationId: id, messages: replaced, context });
    try {
        return parseSummary(yield* oneOffReply(turn, makeRequest, count));
    } catch (error) {
        if (!turn.signal.aborted && isRejection(error)) return undefined;
        throw error;
    }
}
