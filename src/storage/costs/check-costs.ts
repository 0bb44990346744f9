import * as Type from "typebox";
import { checker } from "../../base/json-schema.js";
import { costRecord } from "../../core/costs/ledger.js";

// Loaded only when reading: code that just writes costs need not wait for it.

const number = Type.Number();

const tallyFields = {
    costUsd: number,
    requests: number,
    unpricedRequests: number,
    unconfirmedRequests: number,
    inputTokens: number,
    cacheReadTokens: number,
    cacheWriteTokens: number,
    outputTokens: number,
};
const savedTally = Type.Object(tallyFields);
const text = Type.String();
const savedGroup = Type.Object({ project: text, provider: text, model: text, ...tallyFields });
const savedDay = Type.Object({
    day: text,
    from: number,
    to: number,
    groups: Type.Array(savedGroup),
});
const savedSummary = Type.Object({
    logBytes: number,
    damagedLines: number,
    groups: Type.Array(savedDay),
});
export type SavedTally = Type.Static<typeof savedTally>;
export type SavedSummary = Type.Static<typeof savedSummary>;

export const costChecker = checker(costRecord);
export const summaryChecker = checker(savedSummary);

/** `costs.json` from before it had groups per day; rebuilt from the log. */
export const isEarlierSummary = checker(
    Type.Object({ logBytes: number, damagedLines: number, total: savedTally })
).fits;
