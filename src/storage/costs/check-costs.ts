import * as Type from "typebox";
import { checker } from "../../base/json-schema.js";
import { costRecord } from "../../core/costs/ledger.js";

// Loaded where files are read: who only writes costs need not wait for it.

const number = Type.Number();

/** Sums as they stand in `costs.json`. */
const savedTally = Type.Object({
    costUsd: number,
    requests: number,
    unpricedRequests: number,
    unconfirmedRequests: number,
    inputTokens: number,
    cacheReadTokens: number,
    cacheWriteTokens: number,
    outputTokens: number,
});
const savedTallies = Type.Record(Type.String(), savedTally);
const savedSummary = Type.Object({
    logBytes: number,
    damagedLines: number,
    total: savedTally,
    byModel: savedTallies,
    days: Type.Record(Type.String(), Type.Record(Type.String(), savedTallies)),
});
export type SavedTally = Type.Static<typeof savedTally>;
export type SavedSummary = Type.Static<typeof savedSummary>;

export const costChecker = checker(costRecord);
/** The content of `costs.json`. */
export const summaryChecker = checker(savedSummary);
