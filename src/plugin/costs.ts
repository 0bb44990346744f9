import type { Usage } from "./provider.js";

/**
 * A price in US dollars; `unpriced` counts requests whose price is unknown, `unconfirmed` those whose
 * price was not read on the vendor's own page.
 */
export interface CostTotal {
    readonly costUsd: number;
    readonly requests: number;
    readonly unpricedRequests: number;
    readonly unconfirmedRequests: number;
    /** Neither read from nor written to a cache. */
    readonly inputTokens: number;
    readonly cacheReadTokens: number;
    readonly cacheWriteTokens: number;
    readonly outputTokens: number;
}

/** Costs of one model. */
export interface ModelCost extends CostTotal {
    readonly provider: string;
    readonly model: string;
}

/** What one reply of the model took. */
export interface ReplyUsage {
    readonly provider: string;
    readonly model: string;
    readonly usage: Usage;
    /** US dollars; `null` where the price is unknown. */
    readonly costUsd: number | null;
}
