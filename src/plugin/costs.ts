import type { Usage } from "./provider.js";

/**
 * Totals in US dollars. `unpriced` counts requests of unknown price, `unconfirmed` those priced
 * from a source other than the vendor's page.
 */
export interface CostTotal {
    readonly costUsd: number;
    readonly requests: number;
    readonly unpricedRequests: number;
    readonly unconfirmedRequests: number;
    /** Excludes cache reads and writes. */
    readonly inputTokens: number;
    readonly cacheReadTokens: number;
    readonly cacheWriteTokens: number;
    readonly outputTokens: number;
}

export interface ModelCost extends CostTotal {
    readonly provider: string;
    readonly model: string;
}

export interface ReplyUsage {
    readonly provider: string;
    readonly model: string;
    readonly usage: Usage;
    /** US dollars; `null` if the price is unknown. */
    readonly costUsd: number | null;
}

/** An answer that is not part of the conversation. */
export interface AsideAnswer {
    /** Markdown. */
    readonly text: string;
    /** US dollars; `null` if a price is unknown. */
    readonly costUsd: number | null;
}
