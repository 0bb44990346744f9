import { toDollars, toNano } from "../../base/money.js";
import path from "node:path";
import { isExpectedError } from "../../base/north-error.js";
import { ifAbsent } from "../../base/system-error.js";
import type { CostRecord } from "../../core/costs/ledger.js";
import { type ByteRange, readJsonLines } from "../conversations/journal-lines.js";
import { sizeOf } from "../files/append-line.js";
import { type JsonRecord, readJson } from "../files/json-file.js";
import type { Report } from "../files/storage-error.js";
import type { SavedSummary, SavedTally } from "./check-costs.js";
import { addTally, addToTally, type CostTally, emptyTally, localDay } from "./cost-record.js";

/** Requests of one day with the same project, provider and model. */
type CostGroup = Pick<CostRecord, "project" | "provider" | "model"> & {
    readonly tally: CostTally;
};

interface CostDay {
    /** Byte range of the log that contains this day's lines, possibly mixed with other days'. */
    from: number;
    to: number;
    readonly groups: Map<string, CostGroup>;
}

/** The sums in `costs.json`, and how much of `costs.jsonl` they cover. */
interface CostSummary {
    /** Bytes of the log covered, always complete lines. */
    logBytes: number;
    damagedLines: number;
    readonly days: Map<string, CostDay>;
}

/** Adds a record and marks the log as covered up to `end`. */
function addToSummary(summary: CostSummary, record: CostRecord, end: number): void {
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

/** Sums all groups of the given days. */
export function sumOf(days: Iterable<CostDay>): CostTally {
    const sum = emptyTally();
    for (const { groups } of days) for (const { tally } of groups.values()) addTally(sum, tally);
    return sum;
}

/** The JSON in the file. North reads only `groups`; `days` and the totals are for other tools. */
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

function summaryFromJson(saved: SavedSummary): CostSummary {
    const { logBytes, damagedLines } = saved;
    const days = saved.groups.map(({ day, from, to, groups }): [string, CostDay] => {
        const read = groups.map(({ project, provider, model, costUsd, ...counts }): CostGroup => {
            return { project, provider, model, tally: { nanoUsd: toNano(costUsd), ...counts } };
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

/** Paths of the cost log, which is authoritative, and its summary. */
export interface CostFiles {
    readonly log: string;
    readonly summary: string;
}

export function costFiles(dataFolder: string): CostFiles {
    return {
        log: path.join(dataFolder, "costs.jsonl"),
        summary: path.join(dataFolder, "costs.json"),
    };
}

/** Calls `add` with each record of a range and the offset after it; skips a torn last line. */
export async function readRecords(
    file: string,
    range: ByteRange,
    add: (record: CostRecord, end: number) => void
) {
    const { costChecker } = await import("./check-costs.js");
    let damagedLines = 0;
    const onLine = (value: unknown, end: number) => {
        if (costChecker.fits(value)) add(value, end);
        else damagedLines += 1;
    };
    const reading = readJsonLines(file, range, onLine, () => (damagedLines += 1));
    return { end: await ifAbsent(reading, 0), damagedLines };
}

type SavedState = CostSummary | "absent" | "unusable";

/** Loads the saved summary; reports an unreadable file and treats it as unusable. */
export async function loadSummary(file: string, report: Report): Promise<SavedState> {
    try {
        const stored = await readJson(file);
        if (stored.kind === "absent") return "absent";
        if (stored.kind === "corrupt") return "unusable";
        const { isEarlierSummary, summaryChecker } = await import("./check-costs.js");
        if (summaryChecker.fits(stored.value)) return summaryFromJson(stored.value);
        return isEarlierSummary(stored.value) ? "absent" : "unusable";
    } catch (error) {
        if (!isExpectedError(error)) throw error;
        report(error.message);
        return "absent";
    }
}

/** Brings the saved sums up to date with the log, or rebuilds them if they do not fit it. */
export async function broughtUpToDate(logFile: string, saved: SavedState): Promise<CostSummary> {
    const isUsable = typeof saved === "object" && saved.logBytes <= (await sizeOf(logFile));
    const summary = isUsable ? saved : { logBytes: 0, damagedLines: 0, days: new Map() };
    const from = summary.logBytes;
    const { end, damagedLines } = await readRecords(logFile, { from }, (record, lineEnd) =>
        addToSummary(summary, record, lineEnd)
    );
    summary.logBytes = end;
    summary.damagedLines += damagedLines;
    return summary;
}

export async function currentSummary(files: CostFiles, report: Report): Promise<CostSummary> {
    return broughtUpToDate(files.log, await loadSummary(files.summary, report));
}
