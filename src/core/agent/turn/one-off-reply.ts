import { isExpectedError } from "../../../base/north-error.js";
import type { ModelRequest, Usage } from "../../../plugin/index.js";
import { contextTokensOf, inTier, mergedUsage, priceOf } from "../../costs/price.js";
import type { AgentEvent } from "../events.js";
import { observedReply } from "../reply/receive-reply.js";
import { Retries } from "../reply/retry.js";
import { recordCost } from "../reply/stream-reply.js";
import type { ModelAccess } from "../turn.js";
import { fallBack } from "./fall-back.js";
import { withinBudget } from "./limits.js";

/** Receives the usage of each request, including failed ones. */
export type CountUsage = (usage: Usage, costUsd: number | null) => void;

/** The provider rejects the request, however often it is sent. */
const REJECTIONS: ReadonlySet<string> = new Set(["invalid-request", "context-overflow"]);

export function isRejection(error: unknown): boolean {
    return isExpectedError(error) && REJECTIONS.has(error.code);
}

/** A reply outside the conversation, retried and priced like any; throws what no retry helps. */
export async function* oneOffReply(
    turn: ModelAccess,
    makeRequest: () => ModelRequest,
    count: CountUsage
): AsyncGenerator<AgentEvent, string> {
    let retries = new Retries(turn.runtime, turn.model.fallbacks);
    for (;;) {
        yield* withinBudget(turn);
        try {
            return yield* receive(turn, makeRequest(), count);
        } catch (error) {
            if (turn.signal.aborted) throw error;
            const decision = retries.next(error);
            if (decision.kind === "give-up") {
                if (isRejection(error)) throw error;
                if (!(yield* fallBack(turn, decision.error))) throw decision.error;
                retries = new Retries(turn.runtime, turn.model.fallbacks);
                continue;
            }

            const { attempt, delayMs, error: failure } = decision;
            yield { type: "retry-scheduled", attempt, delayMs, reason: failure.message };
            await turn.runtime.sleep(delayMs, turn.signal);
        }
    }
}

async function* receive(
    turn: ModelAccess,
    request: ModelRequest,
    count: CountUsage
): AsyncGenerator<AgentEvent, string> {
    const { info: model } = turn.model;
    const answer: string[] = [];
    let usage: Usage = {};
    let billed = model;
    const costOf = () => (contextTokensOf(usage) === 0 ? 0 : priceOf(usage, billed));
    try {
        for await (const event of observedReply(turn, request, turn.runtime.id())) {
            if (event.type === "text") answer.push(event.text);
            if (event.type !== "usage") continue;
            usage = mergedUsage(usage, event.usage);
            billed = inTier(model, event.tier);
        }
    } finally {
        recordCost(turn, usage, billed);
        recordBeside(turn, usage, costOf());
        count(usage, costOf());
    }
    const { contextTokens } = turn.conversation.state;
    yield { type: "usage-reported", usage, costUsd: costOf(), contextTokens };
    return answer.join("");
}

/** For the costs of the conversation. A question before its first message does not begin it. */
function recordBeside(
    { conversation, runtime }: ModelAccess,
    usage: Usage,
    costUsd: number | null
): void {
    if (!conversation.isOpen || contextTokensOf(usage) === 0) return;
    const cost = costUsd === null ? {} : { costUsd };
    conversation.record({ type: "request_billed", usage, ...cost, at: runtime.now() });
}
