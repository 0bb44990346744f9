import { toDollars } from "../../base/money.js";
import { counted } from "../../base/format.js";
import { syncFile } from "../../base/sync-file-systems.js";
import { ifAbsent } from "../../base/system-error.js";
import type {
    CostGrouping,
    CostQuery,
    CostRecord,
    CostRow,
    Ledger,
} from "../../core/costs/ledger.js";
import { appendJsonLine, sizeOf } from "../files/append-line.js";
import { writeFileAtomically } from "../files/atomic-file.js";
import { withLock } from "../files/file-lock.js";
import { setAside } from "../files/json-file.js";
import type { Report } from "../files/storage-error.js";
import { addTally, addToTally, type CostTally, emptyTally, localDay } from "./cost-record.js";
import {
    broughtUpToDate,
    type CostFiles,
    costFiles,
    currentSummary,
    loadSummary,
    readRecords,
    sumOf,
    summaryToJson,
} from "./cost-summary.js";

type Group = Pick<CostRow, "key" | "provider" | "model">;

/** The fields a log line and a day's group share. */
type Grouped = Pick<CostRecord, "project" | "provider" | "model" | "cacheLoss"> & {
    readonly day: string;
};

const groupOf: Record<CostGrouping, (costs: Grouped) => Group> = {
    model: ({ provider, model }) => ({ key: model, provider, model }),
    provider: ({ provider }) => ({ key: provider, provider }),
    project: ({ project }) => ({ key: project }),
    day: ({ day }) => ({ key: day }),
    month: ({ day }) => ({ key: day.slice(0, "2026-11".length) }),
    reason: ({ cacheLoss }) => ({ key: cacheLoss?.reason ?? "" }),
};

/** Costs in `costs.jsonl`, which is authoritative, and `costs.json`, its summary. */
export function createLedger({
    dataFolder,
    report = () => {},
    now = Date.now,
}: {
    readonly dataFolder: string;
    readonly report?: Report;
    readonly now?: () => number;
}): Ledger {
    const files = costFiles(dataFolder);
    const { log: logFile, summary: summaryFile } = files;
    return {
        // Reopened each time: a reset in another process may have moved it.
        record: (cost) => appendJsonLine(logFile, cost),
        query: (query) => queryCosts(files, query, report),
        async allTime() {
            const { days } = await currentSummary(files, report);
            const { nanoUsd, unpricedRequests } = sumOf(days.values());
            return { costUsd: toDollars(nanoUsd), unpricedRequests };
        },
        summarize: () =>
            withLock(summaryFile, async (lease) => {
                const saved = await loadSummary(summaryFile, report);
                if (saved === "unusable") {
                    report(
                        `${summaryFile} was damaged and moved to ${await setAside(summaryFile)}.`
                    );
                }
                const before = typeof saved === "object" ? saved.logBytes : undefined;
                const summary = await broughtUpToDate(logFile, saved);
                if (summary === saved && summary.logBytes === before) return;
                const content = summaryToJson(summary, now());
                // Sync first: a summary must not outlive the lines it counts.
                await ifAbsent(syncFile(logFile), undefined);
                await writeFileAtomically(summaryFile, JSON.stringify(content), {
                    beforeReplace: lease.assertHeld,
                });
            }),
        reset: () =>
            withLock(summaryFile, async () => {
                for (const file of [logFile, summaryFile]) {
                    if (await sizeOf(file)) await setAside(file, "reset");
                }
            }),
    };
}

async function queryCosts(
    files: CostFiles,
    { by, since = 0, conversationIds: ids, priced }: CostQuery,
    report: Report
): Promise<readonly CostRow[]> {
    const { log: logFile } = files;
    const rows = new Rows(by);
    const addLine = (cost: CostRecord) => {
        const costUsd = priced ? priced(cost.usage) : cost.costUsd;
        addToTally(rows.of({ ...cost, day: localDay(cost.at) }), { ...cost, costUsd });
    };
    let damagedLines = 0;
    if (by === "reason" || ids || priced) {
        const only = by === "reason" ? '"cacheLoss":' : onlyIn(ids);
        const range = only === undefined ? {} : { containing: only };
        ({ damagedLines } = await readRecords(logFile, range, (cost) => {
            const isOther = ids && !ids.includes(cost.conversationId);
            if (isOther || cost.at < since) return;
            if (by !== "reason") addLine(cost);
            else if (cost.cacheLoss) addLine(lossOf(cost, cost.cacheLoss));
        }));
    } else {
        const summary = await currentSummary(files, report);
        ({ damagedLines } = summary);
        const firstDay = localDay(since);
        for (const [day, { groups, ...range }] of summary.days) {
            if (day < firstDay) continue;
            if (day === firstDay && since > 0) {
                await readRecords(logFile, range, (cost) => {
                    if (cost.at >= since && localDay(cost.at) === day) addLine(cost);
                });
                continue;
            }
            for (const group of groups.values()) {
                addTally(rows.of({ ...group, day }), group.tally);
            }
        }
    }
    if (damagedLines > 0) report(damageWarning(logFile, damagedLines));
    return rows.sorted();
}

/** Spares parsing the lines of others. */
function onlyIn(ids: readonly string[] = []): string | undefined {
    return ids.length === 1 ? JSON.stringify(ids[0]) : undefined;
}

function damageWarning(file: string, count: number): string {
    return `${counted(count, "line")} of ${file} could not be read; the costs in ${count === 1 ? "it" : "them"} are not counted.`;
}

function lossOf(cost: CostRecord, loss: NonNullable<CostRecord["cacheLoss"]>): CostRecord {
    return { ...cost, costUsd: loss.costUsd, usage: { inputTokens: loss.tokens } };
}

/** Accumulates the rows of a query. */
class Rows {
    private readonly groups = new Map<string, { group: Group; tally: CostTally }>();

    constructor(private readonly by: CostGrouping) {}

    of(costs: Grouped): CostTally {
        const group = groupOf[this.by](costs);
        // Two providers may offer models of the same name at different prices.
        const id = JSON.stringify([group.key, group.provider]);
        const known = this.groups.get(id) ?? { group, tally: emptyTally() };
        this.groups.set(id, known);
        return known.tally;
    }

    sorted(): CostRow[] {
        const rows = [...this.groups.values()].map(({ group, tally: { nanoUsd, ...counts } }) => ({
            ...group,
            costUsd: toDollars(nanoUsd),
            ...counts,
        }));
        const isByTime = this.by === "day" || this.by === "month";
        return rows.sort(
            (one, other) => (isByTime ? 0 : other.costUsd - one.costUsd) || byKey(one, other)
        );
    }
}

function byKey(one: CostRow, other: CostRow): number {
    return one.key < other.key ? -1 : one.key > other.key ? 1 : 0;
}
