import type { SlashCommand } from "../../plugin/index.js";
import { thousands } from "../../base/format.js";

/** `/context`: what the next request will hold, part by part. */
export const context: SlashCommand = {
    name: "context",
    description: "Show what the model is sent, part by part, in estimated tokens.",
    usage: "/context",
    async run(_argumentsText, { context: service, print }) {
        const { parts, totalTokens, reportedTokens, limitTokens } = service.usage();
        const share = (tokens: number): string => `${((100 * tokens) / limitTokens).toFixed(1)} %`;
        const rows = [
            ...parts.map(({ name, tokens }) => [name, thousands(tokens), share(tokens)] as const),
            ["total", thousands(totalTokens), share(totalTokens)] as const,
            ["limit", thousands(limitTokens), ""] as const,
        ];
        const reported =
            reportedTokens === undefined
                ? []
                : [`The provider counted ${thousands(reportedTokens)} with the last answer.`];
        print(["Context, in estimated tokens", ...aligned(rows), ...reported].join("\n"));
    },
};

function aligned(rows: readonly (readonly [string, string, string])[]): string[] {
    const width = (column: 0 | 1 | 2): number => Math.max(...rows.map((row) => row[column].length));
    const [names, tokens, shares] = [width(0), width(1), width(2)];
    return rows.map(([name, count, share]) =>
        `  ${name.padEnd(names)}  ${count.padStart(tokens)}  ${share.padStart(shares)}`.trimEnd()
    );
}
