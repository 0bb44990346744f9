import type { SlashCommand } from "../../plugin/index.js";
import { inColumns } from "../../base/columns.js";
import { thousands } from "../../base/format.js";

export const context: SlashCommand = {
    name: "context",
    description: "Show what fills the context, in estimated tokens.",
    usage: "/context",
    onlyShows: true,
    async run(_argumentsText, { context: service, print }) {
        const { parts, totalTokens, reportedTokens, limitTokens } = service.usage();
        const share = (tokens: number): string => `${((100 * tokens) / limitTokens).toFixed(1)} %`;
        const rows = [
            ...parts.flatMap(({ name, tokens, origins = [] }) => [
                [`  ${name}`, thousands(tokens), share(tokens)],
                ...origins.map((each) => [`    ${each.origin}`, thousands(each.tokens), ""]),
            ]),
            ["  total", thousands(totalTokens), share(totalTokens)],
            ["  limit", thousands(limitTokens), ""],
        ];
        const reported =
            reportedTokens === undefined
                ? []
                : [`The provider counted ${thousands(reportedTokens)} with the last answer.`];
        print(
            [
                "Context, in estimated tokens",
                ...inColumns(rows, { right: [1, 2] }),
                ...reported,
            ].join("\n")
        );
    },
};
