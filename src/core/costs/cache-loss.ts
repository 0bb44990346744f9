import type { Entry, Mode, ModelInfo, Usage } from "../../plugin/index.js";
import { formatUsd } from "../../base/format.js";
import type { CostRecord } from "./ledger.js";
import { NO_USAGE, priceOf, promptTokens } from "./price.js";

/** What the vendor's cache did not save, and why. */
export type CacheLoss = NonNullable<CostRecord["cacheLoss"]>;

/** Less may be a vendor's rounding. */
const LEAST_TOKENS = 5_000;
/** Of what the cache could have held. */
const LEAST_SHARE = 0.5;
/** Told of from a cent on. */
const LEAST_TOLD_USD = 0.01;
/** The shortest time for which a vendor keeps what was sent. */
const KEPT_MS = 5 * 60_000;
const MINUTE_MS = 60_000;

/** A request whose reply is not in the conversation yet. */
export interface SentRequest {
    readonly conversation: {
        readonly entries: readonly Entry[];
        readonly isSummarized: boolean;
        /** As last reported; 0 where no report is of use. */
        readonly contextTokens: number;
    };
    readonly provider: string;
    readonly model: ModelInfo;
    readonly mode: Mode;
    /** Milliseconds since 1970. */
    readonly at: number;
}

/**
 * What a request has cost because it read much less from the cache than the request before it had
 * left there; `undefined` where it read enough, or the price of that is unknown.
 */
export function cacheLossOf(sent: SentRequest, usage: Usage): CacheLoss | undefined {
    const { entries } = sent.conversation;
    const place = entries.findLastIndex(
        (entry) => entry.kind === "assistant" && entry.status === "complete" && entry.usage
    );
    const before = entries[place];
    if (before?.kind !== "assistant" || !before.usage || !usesCache(before.usage)) return undefined;
    const could = Math.min(promptTokens(before.usage), promptTokens(usage));
    const tokens = could - (usage.cacheReadTokens ?? 0);
    if (tokens < Math.max(LEAST_TOKENS, could * LEAST_SHARE)) return undefined;
    const [paid, ideal] = [
        priceOf(usage, sent.model),
        priceOf(withRead(usage, tokens), sent.model),
    ];
    if (paid === null || ideal === null || paid <= ideal) return undefined;
    const pauseMs = sent.at - before.at;
    const reason = reasonOf(sent, before, modeAt(entries, place), pauseMs);
    return { reason, tokens, costUsd: paid - ideal, ...(reason === "paused" && { pauseMs }) };
}

/** `cache lost: paused 7 min, $0.46`; `undefined` where it is not worth a line. */
export function cacheLossText({ reason, costUsd, pauseMs = 0 }: CacheLoss): string | undefined {
    if (costUsd < LEAST_TOLD_USD) return undefined;
    const pause = pauseMs > 0 ? ` ${Math.round(pauseMs / MINUTE_MS)} min` : "";
    return `cache lost: ${reason}${pause}, ${formatUsd(costUsd)}`;
}

function usesCache({ cacheReadTokens = 0, cacheWriteTokens = 0, ...usage }: Usage): boolean {
    return cacheReadTokens + cacheWriteTokens + (usage.cacheWriteLongTokens ?? 0) > 0;
}

function reasonOf(
    { provider, model, mode, conversation }: SentRequest,
    before: { readonly provider: string; readonly model: string },
    modeBefore: Mode | undefined,
    pauseMs: number
): string {
    if (before.provider !== provider || before.model !== model.id) return "other model";
    // A summary makes the last report of the context worthless.
    const isNewlySummarized = conversation.isSummarized && conversation.contextTokens === 0;
    if (isNewlySummarized) return "summary";
    if (modeBefore !== undefined && modeBefore !== mode) return "tools changed";
    return pauseMs >= KEPT_MS ? "paused" : "not kept by the provider";
}

/** The mode in which a reply was made; each mode has its own tools. */
function modeAt(entries: readonly Entry[], place: number): Mode | undefined {
    const message = entries.findLast((entry, at) => entry.kind === "user" && at < place);
    return message?.kind === "user" ? message.mode : undefined;
}

/** The same tokens, so many more of them read from the cache; what is dearest was not written. */
function withRead(given: Usage, tokens: number): Usage {
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
