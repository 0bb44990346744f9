import type { CostTotal, ModelCost, SlashCommand } from "../../plugin/index.js";
import { alignColumns } from "../../base/columns.js";
import { formatCosts, formatInteger } from "../../base/format.js";

export const costs: SlashCommand = {
    name: "costs",
    description: "Show the costs of this conversation and of all time.",
    usage: "/costs",
    onlyShows: true,
    async run(_argumentsText, context) {
        const sections = [
            ...section("This conversation", await context.costs.conversation()),
            "",
            ...section("All time", await context.costs.allTime()),
        ];
        context.screen.print(sections.join("\n"));
    },
};

type CostCells = readonly [name: string, tokens: string, cost: string];

function section(title: string, models: readonly ModelCost[]): string[] {
    if (models.length === 0) return [title, "  nothing yet"];
    const providers = [...new Set(models.map(({ provider }) => provider))].sort();
    // No subtotal for a single row: it would repeat that row.
    const rows = providers.flatMap((provider) => {
        const own = models.filter((model) => model.provider === provider);
        const hasSum = providers.length > 1 && own.length > 1;
        const prefix = hasSum ? "    " : `  ${provider}/`;
        return [
            ...(hasSum ? [row(`  ${provider}`, total(own))] : []),
            ...own.map((one) => {
                const note = one.unconfirmedRequests > 0 ? ", price unconfirmed" : "";
                return row(`${prefix}${one.model}`, one, note);
            }),
        ];
    });
    const sum = models.length > 1 ? [row("  total", total(models))] : [];
    return [title, ...alignColumns([...rows, ...sum], { right: [1] })];
}

function total(costsOfModels: readonly CostTotal[]): CostTotal {
    const sum = (field: keyof CostTotal): number =>
        costsOfModels.reduce((amount, cost) => amount + cost[field], 0);
    return {
        costUsd: sum("costUsd"),
        requests: sum("requests"),
        unpricedRequests: sum("unpricedRequests"),
        unconfirmedRequests: sum("unconfirmedRequests"),
        inputTokens: sum("inputTokens"),
        cacheReadTokens: sum("cacheReadTokens"),
        cacheWriteTokens: sum("cacheWriteTokens"),
        outputTokens: sum("outputTokens"),
    };
}

function row(name: string, cost: CostTotal, note = ""): CostCells {
    const { inputTokens, cacheWriteTokens, cacheReadTokens, outputTokens } = cost;
    const sent = `${formatInteger(inputTokens + cacheWriteTokens)} in, ${formatInteger(cacheReadTokens)} cached`;
    const tokens = `${sent}, ${formatInteger(outputTokens)} out`;
    const isUnknown = cost.unpricedRequests > 0 && cost.unpricedRequests === cost.requests;
    const known = formatCosts(cost.costUsd, cost.unpricedRequests);
    return [name, tokens, isUnknown ? "unknown" : known + note];
}
