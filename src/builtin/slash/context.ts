import type { SlashCommand } from "../../plugin/index.js";
import { alignColumns } from "../../base/columns.js";
import { formatInteger } from "../../base/format.js";

export const context: SlashCommand = {
    name: "context",
    description: "Show what fills the context, in estimated tokens.",
    usage: "/context",
    onlyShows: true,
    async run(_argumentsText, { conversation, screen }) {
        const usage = conversation.contextUsage();
        const { parts, totalTokens, reportedTokens, limitTokens, leftOut } = usage;
        const share = (tokens: number): string => `${((100 * tokens) / limitTokens).toFixed(1)}%`;
        const rows = [
            ...parts.flatMap(({ name, tokens, origins = [] }) => [
                [`  ${name}`, formatInteger(tokens), share(tokens)],
                ...origins.map((each) => [`    ${each.origin}`, formatInteger(each.tokens), ""]),
            ]),
            ["  total", formatInteger(totalTokens), share(totalTokens)],
            ["  limit", formatInteger(limitTokens), ""],
        ];
        const reported =
            reportedTokens === undefined
                ? []
                : [
                      `Last request, as counted by the provider: ${formatInteger(reportedTokens)} tokens.`,
                  ];
        screen.print(
            [
                "Context, in estimated tokens",
                ...alignColumns(rows, { right: [1, 2] }),
                ...reported,
                ...(leftOut === undefined ? [] : [leftOut]),
            ].join("\n")
        );
    },
};
