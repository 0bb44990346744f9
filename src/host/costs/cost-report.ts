import { formatTokens, formatUsd } from "../../base/format.js";
import type { CostGrouping, CostRow } from "../../core/costs/ledger.js";
import { isExpectedError } from "../../base/north-error.js";
import { sumUsd } from "../../storage/costs/cost-record.js";
import { createLedger } from "../../storage/costs/ledger.js";
import { warn } from "../warn.js";
import { table } from "../table.js";

type CostReport = Awaited<ReturnType<typeof costReport>>;

/** Model costs, grouped by one property. */
export async function costReport(dataFolder: string, by: CostGrouping, since?: number) {
    const ledger = createLedger({ dataFolder, report: warn });
    // Best effort: the summary comes from the ledger and can wait for a writable disk.
    await ledger.summarize().catch((error: unknown) => {
        if (!isExpectedError(error)) throw error;
    });
    const rows = await ledger.query({ by, since });
    return {
        by,
        rows,
        totalUsd: sumUsd(rows.map(({ costUsd }) => costUsd)),
        /** Not in any sum: their price is unknown. */
        unpricedRequests: rows.reduce((sum, row) => sum + row.unpricedRequests, 0),
        unconfirmedRequests: rows.reduce((sum, row) => sum + row.unconfirmedRequests, 0),
    };
}

export async function resetCosts(dataFolder: string): Promise<void> {
    await createLedger({ dataFolder }).reset();
}

const BAR_WIDTH = 20;

/** `bars` adds a bar to each row, relative to the highest cost. */
export function costTable(report: CostReport, { bars }: { readonly bars: boolean }): string {
    const { by, rows, totalUsd, unpricedRequests } = report;
    const numbers = ["Requests", "Input", "Cached", "Output", "Cost"];
    const columns = [
        `${by.slice(0, 1).toUpperCase()}${by.slice(1)}`,
        ...numbers.map((right) => ({ right })),
        ...(bars ? [""] : []),
    ];
    const highest = Math.max(...rows.map(({ costUsd }) => costUsd));
    const cellsOf = (row: CostRow) =>
        bars ? [...cells(row), barOf(row.costUsd, highest)] : cells(row);
    const total = `Total ${formatUsd(totalUsd)}`;
    const unpriced =
        unpricedRequests > 0
            ? `${unpricedRequests} requests are not included: the price of their model is unknown.`
            : "";
    const unsure = rows.filter(({ unconfirmedRequests }) => unconfirmedRequests > 0);
    const unconfirmed =
        unsure.length > 0 ? `Price unconfirmed: ${unsure.map(({ key }) => key).join(", ")}.` : "";
    const lines = [table(columns, rows.map(cellsOf)), total, unpriced, unconfirmed];
    return lines.filter(Boolean).join("\n");
}

function barOf(usd: number, highest: number): string {
    if (usd <= 0) return "";
    return "█".repeat(Math.max(1, Math.round((usd / highest) * BAR_WIDTH)));
}

function cells(row: CostRow): string[] {
    const cost = formatUsd(row.costUsd);
    return [
        row.key,
        String(row.requests),
        formatTokens(row.inputTokens + row.cacheWriteTokens),
        formatTokens(row.cacheReadTokens),
        formatTokens(row.outputTokens),
        row.unpricedRequests > 0 ? `${cost} + unknown` : cost,
    ];
}
