import type { CostRecord } from "../../core/costs/ledger.js";
import type { SavedSummary, SavedTally } from "./check-costs.js";
import {
    addTally,
    addToTally,
    type CostTally,
    emptyTally,
    localDay,
    toDollars,
    toNano,
} from "./cost-record.js";
import type { JsonRecord } from "../files/json-file.js";

/** Requests of one day that differ in nothing that costs are grouped by. */
export type CostGroup = Pick<CostRecord, "project" | "provider" | "model"> & {
    readonly tally: CostTally;
};

/** A day's costs. */
export interface CostDay {
    /** The bytes of the log between which its lines are, perhaps with those of other days. */
    from: number;
    to: number;
    readonly groups: Map<string, CostGroup>;
}

/** The sums in `costs.json`, and how much of `costs.jsonl` went into them. */
export interface CostSummary {
    /** Bytes of the log, all complete lines. */
    logBytes: number;
    damagedLines: number;
    readonly days: Map<string, CostDay>;
}

export function emptySummary(): CostSummary {
    return { logBytes: 0, damagedLines: 0, days: new Map() };
}

/** Adds a record, and takes the lines of the log up to `end` to be in. */
export function addToSummary(summary: CostSummary, record: CostRecord, end: number): void {
    const day = entry(summary.days, localDay(record.at), () => ({
        from: summary.logBytes,
        to: end,
        groups: new Map<string, CostGroup>(),
    }));
    day.to = end;
    summary.logBytes = end;
    const { project, provider, model } = record;
    const group = entry(day.groups, keyOf(record), () => ({
        ...{ project, provider, model },
        tally: emptyTally(),
    }));
    addToTally(group.tally, record);
}

function keyOf({ project, provider, model }: Omit<CostGroup, "tally">): string {
    return `${project}\n${provider}\n${model}`;
}

function entry<Value>(map: Map<string, Value>, key: string, create: () => Value): Value {
    const existing = map.get(key);
    if (existing !== undefined) return existing;
    const created = create();
    map.set(key, created);
    return created;
}

/** The sum of all groups, or of those that are selected. */
export function sumOf(days: Iterable<CostDay>): CostTally {
    const sum = emptyTally();
    for (const { groups } of days) for (const { tally } of groups.values()) addTally(sum, tally);
    return sum;
}

/** As it stands in the file; North reads `groups`; `days` and the sums are for others. */
export function summaryToJson(summary: CostSummary, lastUpdated: number): JsonRecord {
    const total = sumOf(summary.days.values());
    const byModel = new Map<string, CostTally>();
    const days: Record<string, Record<string, JsonRecord>> = {};
    for (const [day, { groups }] of summary.days) {
        const projects = new Map<string, Map<string, CostTally>>();
        for (const { project, model, tally } of groups.values()) {
            const models = entry(projects, project, () => new Map<string, CostTally>());
            addTally(entry(models, model, emptyTally), tally);
            addTally(entry(byModel, model, emptyTally), tally);
        }
        const inDay = [...projects].map(([project, models]) => [project, talliesToJson(models)]);
        days[day] = Object.fromEntries(inDay);
    }
    return {
        allTimeCostUsd: toDollars(total.nanoUsd),
        byModel: talliesToJson(byModel),
        lastUpdated,
        total: tallyToJson(total),
        days,
        damagedLines: summary.damagedLines,
        logBytes: summary.logBytes,
        groups: [...summary.days].map(([day, { from, to, groups }]) => ({
            ...{ day, from, to },
            groups: [...groups.values()].map(({ tally, ...group }) => ({
                ...group,
                ...tallyToJson(tally),
            })),
        })),
    };
}

export function summaryFromJson(saved: SavedSummary): CostSummary {
    const { logBytes, damagedLines } = saved;
    const days = saved.groups.map(({ day, from, to, groups }): [string, CostDay] => {
        const read = groups.map(({ project, provider, model, ...tally }): CostGroup => {
            return { project, provider, model, tally: tallyFromJson(tally) };
        });
        return [day, { from, to, groups: new Map(read.map((group) => [keyOf(group), group])) }];
    });
    return { logBytes, damagedLines, days: new Map(days) };
}

function talliesToJson(tallies: ReadonlyMap<string, CostTally>): JsonRecord {
    return Object.fromEntries([...tallies].map(([key, tally]) => [key, tallyToJson(tally)]));
}

function tallyToJson({ nanoUsd, ...counts }: CostTally): SavedTally {
    return { costUsd: toDollars(nanoUsd), ...counts };
}

function tallyFromJson({ costUsd, ...counts }: SavedTally): CostTally {
    return { nanoUsd: toNano(costUsd), ...counts };
}
