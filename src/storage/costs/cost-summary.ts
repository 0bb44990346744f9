import type { CostRecord } from "../../core/costs/ledger.js";
import {
    addToTally,
    type CostTally,
    emptyTally,
    localDay,
    toDollars,
    toNano,
} from "./cost-record.js";
import { isJsonRecord, type JsonRecord } from "../files/json-file.js";

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

/** `undefined` for what is not a summary of this form. */
export function summaryFromJson(value: JsonRecord): CostSummary | undefined {
    const { logBytes, damagedLines } = value;
    const total = tallyFromJson(value.total);
    const byModel = talliesFromJson(value.byModel);
    const days = mapFromJson(value.days, (day) => mapFromJson(day, talliesFromJson));
    if (typeof logBytes !== "number" || typeof damagedLines !== "number") return undefined;
    if (!total || !byModel || !days) return undefined;
    return { logBytes, damagedLines, total, byModel, days };
}

function mapToObject<Value>(map: Map<string, Value>, convert: (value: Value) => unknown) {
    return Object.fromEntries([...map].map(([key, value]) => [key, convert(value)]));
}

function mapFromJson<Value>(
    json: unknown,
    convert: (value: unknown) => Value | undefined
): Map<string, Value> | undefined {
    if (!isJsonRecord(json)) return undefined;
    const map = new Map<string, Value>();
    for (const [key, each] of Object.entries(json)) {
        const value = convert(each);
        if (value === undefined) return undefined;
        map.set(key, value);
    }
    return map;
}

function talliesToJson(tallies: Tallies): JsonRecord {
    return mapToObject(tallies, tallyToJson);
}

function talliesFromJson(json: unknown): Tallies | undefined {
    return mapFromJson(json, tallyFromJson);
}

function tallyToJson({ nanoUsd, ...counts }: CostTally): JsonRecord {
    return { costUsd: toDollars(nanoUsd), ...counts };
}

function tallyFromJson(json: unknown): CostTally | undefined {
    if (!isJsonRecord(json)) return undefined;
    const tally = emptyTally();
    for (const name of Object.keys(tally) as (keyof CostTally)[]) {
        const value = json[name === "nanoUsd" ? "costUsd" : name];
        if (typeof value !== "number") return undefined;
        tally[name] = name === "nanoUsd" ? toNano(value) : value;
    }
    return tally;
}
