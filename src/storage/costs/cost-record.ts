import type { CostRecord } from "../../core/costs/ledger.js";
import type { SavedTally } from "./check-costs.js";

/** Sums of requests; money in whole billionths of a dollar, so that sums are exact. */
export interface CostTally extends Omit<SavedTally, "costUsd"> {
    nanoUsd: number;
}

export function emptyTally(): CostTally {
    return {
        nanoUsd: 0,
        requests: 0,
        unpricedRequests: 0,
        unconfirmedRequests: 0,
        inputTokens: 0,
        cacheReadTokens: 0,
        cacheWriteTokens: 0,
        outputTokens: 0,
    };
}

export function addToTally(tally: CostTally, { usage, costUsd, isUnconfirmed }: CostRecord): void {
    tally.nanoUsd += toNano(costUsd ?? 0);
    tally.requests += 1;
    tally.unpricedRequests += costUsd === null ? 1 : 0;
    tally.unconfirmedRequests += isUnconfirmed === true ? 1 : 0;
    tally.inputTokens += usage.inputTokens ?? 0;
    tally.cacheReadTokens += usage.cacheReadTokens ?? 0;
    tally.cacheWriteTokens += (usage.cacheWriteTokens ?? 0) + (usage.cacheWriteLongTokens ?? 0);
    tally.outputTokens += usage.outputTokens ?? 0;
}

export function addTally(tally: CostTally, other: CostTally): void {
    tally.nanoUsd += other.nanoUsd;
    tally.requests += other.requests;
    tally.unpricedRequests += other.unpricedRequests;
    tally.unconfirmedRequests += other.unconfirmedRequests;
    tally.inputTokens += other.inputTokens;
    tally.cacheReadTokens += other.cacheReadTokens;
    tally.cacheWriteTokens += other.cacheWriteTokens;
    tally.outputTokens += other.outputTokens;
}

export function toNano(dollars: number): number {
    return Math.round(dollars * 1e9);
}

export function toDollars(nano: number): number {
    return nano / 1e9;
}

/** Exact, which a sum of fractions is not. */
export function sumUsd(amounts: readonly number[]): number {
    return toDollars(amounts.reduce((sum, each) => sum + toNano(each), 0));
}

/** The day of a request where the user is, `YYYY-MM-DD`. */
export function localDay(at: number): string {
    const date = new Date(at);
    const two = (number: number) => String(number).padStart(2, "0");
    return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
