import { isExpectedError, NorthError } from "../../../base/north-error.js";
import { expectedTokens, messagesTokens } from "../../message/estimate.js";
import type { ModelConnection } from "../../../plugin/index.js";
import { MESSAGES_AFTER_SUMMARY, firstKeptMessage } from "../../summary/summary-keep.js";
import type { AgentEvent } from "../events.js";
import type { CountUsage } from "./one-off-reply.js";
import { summarize } from "./summarize.js";
import { requestOf, type Turn } from "../turn.js";

/** Share of the context window at which the conversation is summarized. */
const FULL_SHARE = 0.92;
/** Max share of the context window for kept messages, except the last exchange. */
const KEPT_SHARE = 0.4;

/** Less is not a plausible context size. */
const MIN_WINDOW = 1_000;

export const CONTEXT_OVERFLOW = "context-overflow";

/** What servers have said to take at most, where that is less than their models are known for. */
const refusedAbove = new WeakMap<ModelConnection, number>();

/** The context size, in tokens, that a vendor's refusal names; `undefined` if it names none. */
function maximumIn(message: string): number | undefined {
    const [, first, second] =
        /\b(\d[\d,]{0,12})(?: tokens?)? max(?:imum)?\b|\b(?:maximum|context (?:size|length|window)|limit)\b\D{0,40}(\d[\d,]{0,12})/i.exec(
            message
        ) ?? [];
    const maximum = Number((first ?? second ?? "").replaceAll(",", ""));
    return maximum >= MIN_WINDOW ? maximum : undefined;
}

export class ContextRoom {
    /** A failed summary is not retried: it would only fail and cost again. */
    private hasFailed = false;

    constructor(
        private readonly turn: Turn,
        private readonly count: CountUsage
    ) {}

    /** Summarizes if the next request would be too full; throws if it cannot fit. */
    async *summarizeIfFull(): AsyncGenerator<AgentEvent, void> {
        const contextTokens = this.window;
        const expected = this.expected();
        if (expected < FULL_SHARE * contextTokens) return;
        if (!this.hasFailed) {
            const percent = Math.round((100 * expected) / contextTokens);
            const isDone = yield* this.summarize(`The context is ${percent}% full`);
            if (isDone) return;
        }
        // An estimate alone may be wrong, so the provider decides.
        const isCounted = this.turn.conversation.state.contextTokens > 0;
        if (isCounted && this.expected() > contextTokens) throw overflow();
    }

    /** Makes room after the provider found a request too long; returns whether to send it again. */
    async *summarizeAfterOverflow(error: unknown): AsyncGenerator<AgentEvent, boolean> {
        if (this.turn.signal.aborted) return false;
        if (!isExpectedError(error) || error.code !== CONTEXT_OVERFLOW) return false;
        if (this.hasFailed) throw overflow();
        const maximum = maximumIn(error.message);
        if (maximum !== undefined && maximum < this.window) {
            refusedAbove.set(this.turn.model.connection, maximum);
        }
        if (!(yield* this.summarize("The conversation is too long for the model"))) {
            throw overflow();
        }
        return true;
    }

    private async *summarize(why: string): AsyncGenerator<AgentEvent, boolean> {
        const { turn } = this;
        const { state: conversation } = turn.conversation;
        // At most half: the provider disagreed with the estimate, so be well below it.
        const half = messagesTokens(conversation.messages) / 2;
        const maxKeptTokens = Math.min(KEPT_SHARE * this.window, half);
        const limits = { keepLast: MESSAGES_AFTER_SUMMARY, maxKeptTokens };
        conversation.closeOpenCalls();
        if (firstKeptMessage(conversation, limits) === undefined) return false;
        yield { type: "notice", text: `${why}: summarizing the beginning of the conversation.` };
        await turn.checks?.onEvent({ type: "before-summary", trigger: "auto" });
        for (const text of turn.checks?.takeProblems() ?? []) yield { type: "notice", text };
        const outcome = yield* summarize(turn, limits, this.count);
        if (outcome.kind === "summarized") {
            const text = `${outcome.messages} messages summarized; the log keeps them.`;
            yield { type: "notice", text };
        } else if (outcome.kind === "failed") {
            this.hasFailed = true;
            yield { type: "notice", text: `Nothing was summarized. ${outcome.reason}` };
        }
        return outcome.kind === "summarized";
    }

    private get window(): number {
        const { connection, info } = this.turn.model;
        return refusedAbove.get(connection) ?? info.contextTokens;
    }

    private expected(): number {
        return expectedTokens(requestOf(this.turn), this.turn.conversation.state);
    }
}

/** The error for a conversation that neither fits nor can be shortened. */
export function overflow(): NorthError {
    return new NorthError(
        CONTEXT_OVERFLOW,
        "The conversation no longer fits in the model's context.",
        [
            "Summarize more of it with `/summarize --keep-last 2`, or start a new conversation with `/new`.",
            "`/model` offers models with more room; `/context` shows what fills it.",
        ]
    );
}
