import { toNano } from "../../base/money.js";
import type { CostRecord } from "../../core/costs/ledger.js";

const NOTHING = {
    nanoUsd: 0,
    requests: 0,
    unpricedRequests: 0,
    unconfirmedRequests: 0,
    inputTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    outputTokens: 0,
};
type Count = keyof typeof NOTHING;

/** Sums over requests; money in integer nano-dollars, so sums are exact. */
export type CostTally = Record<Count, number>;

export function emptyTally(): CostTally {
    return { ...NOTHING };
}

export function addToTally(tally: CostTally, { usage, costUsd, isUnconfirmed }: CostRecord): void {
    addTally(tally, {
        nanoUsd: toNano(costUsd ?? 0),
        requests: 1,
        unpricedRequests: costUsd === null ? 1 : 0,
        unconfirmedRequests: isUnconfirmed === true ? 1 : 0,
        inputTokens: usage.inputTokens ?? 0,
        cacheReadTokens: usage.cacheReadTokens ?? 0,
        cacheWriteTokens: (usage.cacheWriteTokens ?? 0) + (usage.cacheWriteLongTokens ?? 0),
        outputTokens: usage.outputTokens ?? 0,
    });
}

export function addTally(tally: CostTally, other: CostTally): void {
    for (const name of Object.keys(NOTHING) as Count[]) tally[name] += other[name];
}

/** The day of a request in the user's time zone, `YYYY-MM-DD`. */
export function localDay(at: number): string {
    const date = new Date(at);
    const two = (number: number) => String(number).padStart(2, "0");
    return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
