import * as Type from "typebox";
import { object } from "../../base/json-schema.js";
import type { Usage } from "../../plugin/index.js";

const amount = Type.Number({ minimum: 0 });

/** One request, as billed. */
export const costRecord = object({
    /** Milliseconds since 1970. */
    at: amount,
    conversationId: Type.String(),
    /** Absolute root of the project. */
    project: Type.String(),
    provider: Type.String(),
    model: Type.String(),
    usage: Type.Unsafe<Usage>(Type.Record(Type.String(), amount)),
    /** US dollars; `null` where the price is unknown, never 0 in its place. */
    costUsd: Type.Union([amount, Type.Null()]),
    /** The price was not read on the vendor's own page. */
    isUnconfirmed: Type.Optional(Type.Boolean()),
});
export type CostRecord = Type.Static<typeof costRecord>;

/** Sums of some requests. */
export interface CostRow {
    /** What was grouped by: a model's id, a provider's, a root, a day `YYYY-MM-DD` (local). */
    readonly key: string;
    readonly provider?: string;
    readonly model?: string;
    readonly costUsd: number;
    readonly requests: number;
    readonly unpricedRequests: number;
    /** Counted at a price that is unconfirmed. */
    readonly unconfirmedRequests: number;
    readonly inputTokens: number;
    readonly cacheReadTokens: number;
    readonly cacheWriteTokens: number;
    readonly outputTokens: number;
}

export type CostGrouping = "model" | "provider" | "project" | "day";

/** Which requests to count. */
export interface CostQuery {
    readonly by: CostGrouping;
    /** Milliseconds since 1970. */
    readonly since?: number;
    readonly conversationId?: string;
}

/** The costs of this machine's user over all projects. Safe across processes. */
export interface Ledger {
    /** Appends; durable against a crash of the process when it returns. */
    record(cost: CostRecord): void;
    /** Sorted by cost, highest first; days by date. */
    query(query: CostQuery): Promise<readonly CostRow[]>;
    /** US dollars of all time; cheap, may lag behind other running processes. */
    allTimeUsd(): Promise<number>;
    /** Brings the summary `costs.json` up to date. */
    summarize(): Promise<void>;
    /** Sets aside everything counted so far. */
    reset(): Promise<void>;
}
