import path from "node:path";
import type { CostRecord } from "../../core/costs/ledger.js";
import { isExpectedError } from "../../base/north-error.js";
import { ifAbsent } from "../../base/system-error.js";
import { readJsonLines, type LineRange } from "../conversations/journal-lines.js";
import { sizeOf } from "../files/append-line.js";
import { readJson } from "../files/json-file.js";
import type { Report } from "../files/storage-error.js";
import { addToSummary, type CostSummary, emptySummary, summaryFromJson } from "./cost-summary.js";

/** Where costs are: the log, which is the truth, and its summary. */
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

/** Hands on the records of a range, each with the byte after it; complete lines count. */
export async function readRecords(
    file: string,
    range: LineRange,
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

export type SavedState = CostSummary | "absent" | "unusable";

/** What is saved; a file that may not be read is reported, and does without. */
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

/** The saved sums with what was appended since, or new ones where they do not fit the log. */
export async function broughtUpToDate(logFile: string, saved: SavedState): Promise<CostSummary> {
    const isUsable = typeof saved === "object" && saved.logBytes <= (await sizeOf(logFile));
    const summary = isUsable ? saved : emptySummary();
    const from = summary.logBytes;
    const { end, damagedLines } = await readRecords(logFile, { from }, (record, lineEnd) =>
        addToSummary(summary, record, lineEnd)
    );
    summary.logBytes = end;
    summary.damagedLines += damagedLines;
    return summary;
}

/** All costs, as they are now. */
export async function currentSummary(files: CostFiles, report: Report): Promise<CostSummary> {
    return broughtUpToDate(files.log, await loadSummary(files.summary, report));
}
