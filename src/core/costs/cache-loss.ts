import type { Entry, Mode, ModelInfo, Usage } from "../../plugin/index.js";
import { formatUsd } from "../../base/format.js";
import type { CostRecord } from "./ledger.js";
import { NO_USAGE, priceOf, promptTokens } from "./price.js";

/** Tokens that the vendor's cache did not serve, and why. */
export type CacheLoss = NonNullable<CostRecord["cacheLoss"]>;

/** Smaller losses may be rounding by the vendor. */
const MIN_TOKENS = 5_000;
/** Share of what the cache could have held. */
const MIN_SHARE = 0.5;
/** Smaller losses are not reported. */
const MIN_REPORTED_USD = 0.01;
/** The shortest cache lifetime of any vendor. */
const CACHE_LIFETIME_MS = 5 * 60_000;
const MINUTE_MS = 60_000;

/** A request whose reply is not yet in the conversation. */
export interface SentRequest {
    readonly conversation: {
        readonly entries: readonly Entry[];
        readonly isSummarized: boolean;
        /** As last reported; 0 if no report applies. */
        readonly contextTokens: number;
    };
    readonly provider: string;
    readonly model: ModelInfo;
    readonly mode: Mode;
    /** Milliseconds since 1970. */
    readonly at: number;
}

/**
 * The extra cost of a request that read much less from the cache than the previous request had left
 * there; `undefined` if it read enough, or the price is unknown.
 */
export function cacheLossOf(sent: SentRequest, usage: Usage): CacheLoss | undefined {
    const { entries } = sent.conversation;
    const index = entries.findLastIndex(
        (entry) => entry.kind === "assistant" && entry.status === "complete" && entry.usage
    );
    const before = entries[index];
    if (before?.kind !== "assistant" || !before.usage || !hasCacheTokens(before.usage)) {
        return undefined;
    }
    const cacheable = Math.min(promptTokens(before.usage), promptTokens(usage));
    const tokens = cacheable - (usage.cacheReadTokens ?? 0);
    if (tokens < Math.max(MIN_TOKENS, cacheable * MIN_SHARE)) return undefined;
    const [paid, ideal] = [
        priceOf(usage, sent.model),
        priceOf(withCacheRead(usage, tokens), sent.model),
    ];
    if (paid === null || ideal === null || paid <= ideal) return undefined;
    const pauseMs = sent.at - before.at;
    const reason = reasonOf(sent, before, modeAt(entries, index), pauseMs);
    return { reason, tokens, costUsd: paid - ideal, ...(reason === "paused" && { pauseMs }) };
}

/** `cache miss: paused 7 min, $0.46 extra`; `undefined` if too small to report. */
export function cacheLossText({ reason, costUsd, pauseMs = 0 }: CacheLoss): string | undefined {
    if (costUsd < MIN_REPORTED_USD) return undefined;
    const pause = pauseMs > 0 ? ` ${Math.round(pauseMs / MINUTE_MS)} min` : "";
    return `cache miss: ${reason}${pause}, ${formatUsd(costUsd)} extra`;
}

function hasCacheTokens({ cacheReadTokens = 0, cacheWriteTokens = 0, ...usage }: Usage): boolean {
    return cacheReadTokens + cacheWriteTokens + (usage.cacheWriteLongTokens ?? 0) > 0;
}

function reasonOf(
    { provider, model, mode, conversation }: SentRequest,
    before: { readonly provider: string; readonly model: string },
    modeBefore: Mode | undefined,
    pauseMs: number
): string {
    if (before.provider !== provider || before.model !== model.id) return "another model";
    // A summary resets the last report of the context.
    const isNewlySummarized = conversation.isSummarized && conversation.contextTokens === 0;
    if (isNewlySummarized) return "summary";
    if (modeBefore !== undefined && (modeBefore === "ask") !== (mode === "ask")) {
        return "tools changed";
    }
    return pauseMs >= CACHE_LIFETIME_MS ? "paused" : "the provider dropped it";
}

/** The mode of a reply; each mode has its own tools. */
function modeAt(entries: readonly Entry[], index: number): Mode | undefined {
    const message = entries.findLast((entry, at) => entry.kind === "user" && at < index);
    return message?.kind === "user" ? message.mode : undefined;
}

/** The same usage with `tokens` more read from the cache, taken from the dearest kinds first. */
function withCacheRead(given: Usage, tokens: number): Usage {
    const usage = { ...NO_USAGE, ...given };
    let rest = tokens;
    const take = (amount: number): number => {
        const taken = Math.min(amount, rest);
        rest -= taken;
        return amount - taken;
    };
    return {
        ...usage,
        cacheWriteLongTokens: take(usage.cacheWriteLongTokens),
        cacheWriteTokens: take(usage.cacheWriteTokens),
        inputTokens: take(usage.inputTokens),
        cacheReadTokens: usage.cacheReadTokens + tokens - rest,
    };
}
