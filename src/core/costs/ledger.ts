import * as Type from "typebox";
import { object } from "../../base/json-schema.js";
import type { CostTotal, Usage } from "../../plugin/index.js";

const amount = Type.Number({ minimum: 0 });

export const costRecord = object({
    /** Milliseconds since 1970. */
    at: amount,
    conversationId: Type.String(),
    /** Absolute root of the project. */
    project: Type.String(),
    provider: Type.String(),
    model: Type.String(),
    usage: Type.Unsafe<Usage>(Type.Record(Type.String(), amount)),
    /** US dollars; `null` if the price is unknown, never 0 instead. */
    costUsd: Type.Union([amount, Type.Null()]),
    /** The price comes from a source other than the vendor's page. */
    isUnconfirmed: Type.Optional(Type.Boolean()),
    /** The request read much less from the vendor's cache than it could have. */
    cacheLoss: Type.Optional(
        object({
            reason: Type.String(),
            /** Tokens billed again although they had been sent before. */
            tokens: amount,
            /** The part of `costUsd` that the cache would have saved. */
            costUsd: amount,
            /** Pause since the previous request, if that is the reason. */
            pauseMs: Type.Optional(amount),
        })
    ),
});
export type CostRecord = Type.Static<typeof costRecord>;

export interface CostRow extends CostTotal {
    /** A model id, provider id, root, local day `YYYY-MM-DD`, month `YYYY-MM`, or reason for a lost cache. */
    readonly key: string;
    readonly provider?: string;
    readonly model?: string;
}

/** US dollars, and the requests of unknown price that they leave out. */
export type Spent = Pick<CostTotal, "costUsd" | "unpricedRequests">;

export type CostGrouping = "model" | "provider" | "project" | "day" | "month" | "reason";

export interface CostQuery {
    readonly by: CostGrouping;
    /** Milliseconds since 1970. */
    readonly since?: number;
    readonly conversationIds?: readonly string[];
    /** What each request counts for, in US dollars, instead of what it has cost; `null`: unknown. */
    readonly priced?: (usage: Usage) => number | null;
}

/** The user's costs on this machine, across all projects. Safe across processes. */
export interface Ledger {
    /** Appends a request; it survives a process crash once this returns. */
    record(cost: CostRecord): void;
    /** Highest cost first, days and months by date. By reason: cost of lost caches and tokens billed again. */
    query(query: CostQuery): Promise<readonly CostRow[]>;
    /** Cheap, but may lag behind other processes. */
    allTime(): Promise<Spent>;
    /** Updates the summary `costs.json`. */
    summarize(): Promise<void>;
    reset(): Promise<void>;
}
