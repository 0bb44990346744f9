import type { CostRecord } from "../../core/costs/ledger.js";
import type { SavedSummary, SavedTally } from "./check-costs.js";
import {
    addToTally,
    type CostTally,
    emptyTally,
    localDay,
    toDollars,
    toNano,
} from "./cost-record.js";
import type { JsonRecord } from "../files/json-file.js";

type Tallies = Map<string, CostTally>;

/** The sums in `costs.json`, and how much of `costs.jsonl` went into them. */
export interface CostSummary {
    /** Bytes of the log, all complete lines. */
    logBytes: number;
    damagedLines: number;
    readonly total: CostTally;
    readonly byModel: Tallies;
    /** By day, project and model. */
    readonly days: Map<string, Map<string, Tallies>>;
}

export function emptySummary(): CostSummary {
    return {
        logBytes: 0,
        damagedLines: 0,
        total: emptyTally(),
        byModel: new Map(),
        days: new Map(),
    };
}

export function addToSummary(summary: CostSummary, record: CostRecord): void {
    const { days, byModel, total } = summary;
    const day = entry(days, localDay(record.at), () => new Map<string, Tallies>());
    const project = entry(day, record.project, () => new Map<string, CostTally>());
    addToTally(entry(project, record.model, emptyTally), record);
    addToTally(entry(byModel, record.model, emptyTally), record);
    addToTally(total, record);
}

function entry<Value>(map: Map<string, Value>, key: string, create: () => Value): Value {
    const existing = map.get(key);
    if (existing !== undefined) return existing;
    const created = create();
    map.set(key, created);
    return created;
}

/** As it stands in the file. */
export function summaryToJson(summary: CostSummary, lastUpdated: number): JsonRecord {
    return {
        allTimeCostUsd: toDollars(summary.total.nanoUsd),
        byModel: talliesToJson(summary.byModel),
        lastUpdated,
        total: tallyToJson(summary.total),
        days: mapToObject(summary.days, (day) => mapToObject(day, talliesToJson)),
        damagedLines: summary.damagedLines,
        logBytes: summary.logBytes,
    };
}

export function summaryFromJson(saved: SavedSummary): CostSummary {
    const { logBytes, damagedLines, total, byModel, days } = saved;
    return {
        logBytes,
        damagedLines,
        total: tallyFromJson(total),
        byModel: talliesFromJson(byModel),
        days: toMap(days, (day) => toMap(day, talliesFromJson)),
    };
}

function mapToObject<Value>(map: Map<string, Value>, convert: (value: Value) => unknown) {
    return Object.fromEntries([...map].map(([key, value]) => [key, convert(value)]));
}

function toMap<Saved, Value>(saved: Record<string, Saved>, convert: (each: Saved) => Value) {
    return new Map(Object.entries(saved).map(([key, each]) => [key, convert(each)]));
}

function talliesToJson(tallies: Tallies): JsonRecord {
    return mapToObject(tallies, tallyToJson);
}

function talliesFromJson(saved: Record<string, SavedTally>): Tallies {
    return toMap(saved, tallyFromJson);
}

function tallyToJson({ nanoUsd, ...counts }: CostTally): SavedTally {
    return { costUsd: toDollars(nanoUsd), ...counts };
}

function tallyFromJson({ costUsd, ...counts }: SavedTally): CostTally {
    return { nanoUsd: toNano(costUsd), ...counts };
}
