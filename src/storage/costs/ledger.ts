import path from "node:path";
import { counted } from "../../base/format.js";
import { ifAbsent } from "../../base/system-error.js";
import type {
    CostGrouping,
    CostQuery,
    CostRecord,
    CostRow,
    Ledger,
} from "../../core/costs/ledger.js";
import { readJsonLines } from "../conversations/journal-lines.js";
import { appendJsonLine, sizeOf } from "../files/append-line.js";
import { writeFileAtomically } from "../files/atomic-file.js";
import { withLock } from "../files/file-lock.js";
import { readJson, setAside } from "../files/json-file.js";
import type { Report } from "../files/storage-error.js";
import { addToTally, type CostTally, emptyTally, localDay, toDollars } from "./cost-record.js";
import {
    addToSummary,
    type CostSummary,
    emptySummary,
    summaryFromJson,
    summaryToJson,
} from "./cost-summary.js";

type Group = Pick<CostRow, "key" | "provider" | "model">;

const groupOf: Record<CostGrouping, (record: CostRecord) => Group> = {
    model: ({ provider, model }) => ({ key: model, provider, model }),
    provider: ({ provider }) => ({ key: provider, provider }),
    project: ({ project }) => ({ key: project }),
    day: ({ at }) => ({ key: localDay(at) }),
};

/** Takes records one by one and has the rows of a query in the end. */
interface RowCollector {
    add(record: CostRecord): void;
    rows(): CostRow[];
}

export interface LedgerOptions {
    readonly dataFolder: string;
    readonly report?: Report;
    readonly now?: () => number;
}

/** Costs as `costs.jsonl`, which is the truth, and `costs.json`, which is its summary. */
export function createLedger({
    dataFolder,
    report = () => {},
    now = Date.now,
}: LedgerOptions): Ledger {
    const logFile = path.join(dataFolder, "costs.jsonl");
    const summaryFile = path.join(dataFolder, "costs.json");
    return {
        // Opened each time, since a reset in another process may have moved it.
        record: (cost) => appendJsonLine(logFile, cost),
        async query(query) {
            const collector = collectRows(query);
            const { damagedLines } = await readRecords(logFile, 0, (cost) => collector.add(cost));
            if (damagedLines > 0) report(damageWarning(logFile, damagedLines));
            return collector.rows();
        },
        async allTimeUsd() {
            const summary = await currentSummary(logFile, await loadSummary(summaryFile));
            return toDollars(summary.total.nanoUsd);
        },
        summarize: () =>
            withLock(summaryFile, async (lease) => {
                const saved = await loadSummary(summaryFile);
                if (saved === "unusable") {
                    report(`${summaryFile} was damaged; it is now ${await setAside(summaryFile)}.`);
                }

                const summary = await currentSummary(logFile, saved);
                const content = summaryToJson(summary, now());
                await writeFileAtomically(summaryFile, JSON.stringify(content), {
                    beforeReplace: () => lease.assertHeld(),
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

/** Hands on the records from a byte on; the last line counts when it is complete. */
async function readRecords(file: string, from: number, add: (record: CostRecord) => void) {
    const { costChecker } = await import("./check-costs.js");
    let damagedLines = 0;
    const onLine = (value: unknown) => {
        if (costChecker.fits(value)) add(value);
        else damagedLines += 1;
    };
    const reading = readJsonLines(file, { from }, onLine, () => (damagedLines += 1));
    return { end: await ifAbsent(reading, 0), damagedLines };
}

async function loadSummary(file: string): Promise<CostSummary | "absent" | "unusable"> {
    const stored = await readJson(file);
    if (stored.kind === "absent") return "absent";
    if (stored.kind === "corrupt") return "unusable";
    const { summaryChecker } = await import("./check-costs.js");
    return summaryChecker.fits(stored.value) ? summaryFromJson(stored.value) : "unusable";
}

/** The saved sums with what was appended since, or new ones where they do not fit the log. */
async function currentSummary(
    logFile: string,
    saved: CostSummary | "absent" | "unusable"
): Promise<CostSummary> {
    const isUsable = typeof saved === "object" && saved.logBytes <= (await sizeOf(logFile));
    const summary = isUsable ? saved : emptySummary();
    const { end, damagedLines } = await readRecords(logFile, summary.logBytes, (record) =>
        addToSummary(summary, record)
    );
    summary.logBytes = end;
    summary.damagedLines += damagedLines;
    return summary;
}

function damageWarning(file: string, count: number): string {
    return `${counted(count, "line")} of ${file} could not be read; the costs in ${count === 1 ? "it" : "them"} are not counted.`;
}

function collectRows({ by, since = 0, conversationId }: CostQuery): RowCollector {
    const groups = new Map<string, { readonly group: Group; readonly tally: CostTally }>();
    return {
        add(record) {
            if (record.at < since) return;
            if (conversationId !== undefined && record.conversationId !== conversationId) return;
            const group = groupOf[by](record);
            // Two providers may serve models of the same name at different prices.
            const id = JSON.stringify([group.key, group.provider]);
            const known = groups.get(id) ?? { group, tally: emptyTally() };
            groups.set(id, known);
            addToTally(known.tally, record);
        },
        rows() {
            const rows = [...groups.values()].map(({ group, tally: { nanoUsd, ...counts } }) => ({
                ...group,
                costUsd: toDollars(nanoUsd),
                ...counts,
            }));
            return rows.sort(by === "day" ? byKey : byCost);
        },
    };
}

function byKey(one: CostRow, other: CostRow): number {
    return one.key < other.key ? -1 : one.key > other.key ? 1 : 0;
}

function byCost(one: CostRow, other: CostRow): number {
    return other.costUsd - one.costUsd || byKey(one, other);
}
