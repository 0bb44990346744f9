import { counted, formatCosts, formatTokens, formatUsd } from "../../base/format.js";
import type { CostGrouping, CostRow, Ledger } from "../../core/costs/ledger.js";
import { billOf } from "../../core/costs/price.js";
import type { ModelInfo, Usage } from "../../plugin/index.js";
import { isExpectedError, NorthError } from "../../base/north-error.js";
import { sumUsd } from "../../base/money.js";
import { createLedger } from "../../storage/costs/ledger.js";
import { textWidth } from "../../chat/terminal/graphemes.js";
import { warn } from "../warn.js";
import { table } from "../table.js";

type CostReport = Awaited<ReturnType<typeof costReport>>;

interface CostReportOptions {
    readonly by: CostGrouping;
    /** Milliseconds since 1970. */
    readonly since: number | undefined;
    /** A model that might have been used instead. */
    readonly as?: ModelInfo;
}

export async function costReport(dataFolder: string, { by, since, as }: CostReportOptions) {
    const ledger = createLedger({ dataFolder, report: warn });
    // Best effort: the summary comes from the ledger and can wait for a writable disk.
    await ledger.summarize().catch((error: unknown) => {
        if (!isExpectedError(error)) throw error;
    });
    const rows = await ledger.query({ by, since });
    return {
        by,
        rows,
        ...(as && { as: await costsAs(ledger, { by, since, as }) }),
        totalUsd: sumUsd(rows.map(({ costUsd }) => costUsd)),
        /** Not in any sum: their price is unknown. */
        unpricedRequests: rows.reduce((sum, row) => sum + row.unpricedRequests, 0),
        unconfirmedRequests: rows.reduce((sum, row) => sum + row.unconfirmedRequests, 0),
    };
}

export async function resetCosts(dataFolder: string): Promise<void> {
    await createLedger({ dataFolder }).reset();
}

/** What another model would have charged for the same tokens, by the keys of the rows. */
async function costsAs(ledger: Ledger, { by, since, as }: Required<CostReportOptions>) {
    if (as.prices === undefined) {
        const next = ["`north models` lists the models with their prices."];
        throw new NorthError("unknown-price", `The price of ${as.id} is unknown.`, next);
    }
    let isUnconfirmed = false;
    // A model that cannot search would have charged the tokens alone.
    const searches = as.webSearch === true || as.prices.webSearch !== undefined;
    const priced = ({ webSearches = 0, ...tokens }: Usage) => {
        const bill = billOf({ ...tokens, ...(searches && { webSearches }) }, as);
        isUnconfirmed ||= bill.isUnconfirmed ?? false;
        return bill.costUsd;
    };
    const rows = await ledger.query({ by, since, priced });
    return {
        model: as.id,
        rows: rows.map(({ key, provider, costUsd, unpricedRequests }) => {
            return { key, provider, costUsd, unpricedRequests };
        }),
        totalUsd: sumUsd(rows.map(({ costUsd }) => costUsd)),
        /** They searched the web, at a price that is unknown for this model. */
        unpricedRequests: rows.reduce((sum, row) => sum + row.unpricedRequests, 0),
        isUnconfirmed,
    };
}

const [MIN_BAR_WIDTH, MAX_BAR_WIDTH] = [5, 20];

/** Adds a bar to each row, relative to the highest cost, if a terminal of `width` has room. */
export function costTable(report: CostReport, width = 0): string {
    const { by, rows, as, totalUsd, unpricedRequests } = report;
    if (by === "reason" && rows.length === 0) return "No cached tokens were paid again.";
    const numbers = [
        "Requests",
        "Input",
        "Cached",
        "Output",
        "Cost",
        ...(as ? [`As ${as.model}`] : []),
    ];
    const columns = [
        `${by.slice(0, 1).toUpperCase()}${by.slice(1)}`,
        ...numbers.map((right) => ({ right })),
    ];
    const cellsOf = (row: CostRow) => [
        ...cells(row),
        ...(as?.rows.filter(isSameGroup(row)) ?? []).map(costOf),
    ];
    const lines = table(columns, rows.map(cellsOf)).split("\n");
    const room = Math.min(width - Math.max(...lines.map(textWidth)) - 2, MAX_BAR_WIDTH);
    const highest = Math.max(...rows.map(({ costUsd }) => costUsd));
    const [heading = "", ...shown] = lines;
    const withBars = shown.map((line, at) => {
        const bar = barOf(rows[at]?.costUsd ?? 0, highest, room);
        return bar === "" ? line : `${line}  ${bar}`;
    });
    const other = as
        ? `; ${formatUsd(as.totalUsd)} if ${as.model} had used the same tokens. Models differ in how many they use.`
        : "";
    const total = `Total ${formatUsd(totalUsd)}${other}`;
    const unpriced =
        unpricedRequests > 0
            ? `${counted(unpricedRequests, "request")} not included: the price of the model is unknown.`
            : "";
    const unpricedAs =
        as && as.unpricedRequests > 0
            ? `${counted(as.unpricedRequests, "request")} not included for ${as.model}: the price of its web searches is unknown.`
            : "";
    const unsure = rows.filter(({ unconfirmedRequests }) => unconfirmedRequests > 0);
    const names = [...unsure.map(({ key }) => key), ...(as?.isUnconfirmed ? [as.model] : [])];
    const unconfirmed = names.length > 0 ? `Price unconfirmed: ${names.join(", ")}.` : "";
    return [heading, ...withBars, total, unpriced, unpricedAs, unconfirmed]
        .filter(Boolean)
        .join("\n");
}

function isSameGroup({ key, provider }: CostRow) {
    return (other: Pick<CostRow, "key" | "provider">) =>
        other.key === key && other.provider === provider;
}

function barOf(usd: number, highest: number, width: number): string {
    if (usd <= 0 || width < MIN_BAR_WIDTH) return "";
    return "█".repeat(Math.max(1, Math.round((usd / highest) * width)));
}

function costOf(row: Pick<CostRow, "costUsd" | "unpricedRequests">): string {
    return formatCosts(row.costUsd, row.unpricedRequests);
}

function cells(row: CostRow): string[] {
    return [
        row.key,
        String(row.requests),
        formatTokens(row.inputTokens + row.cacheWriteTokens),
        formatTokens(row.cacheReadTokens),
        formatTokens(row.outputTokens),
        costOf(row),
    ];
}
