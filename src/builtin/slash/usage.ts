import type { ReplyUsage, SlashCommand, Usage } from "../../plugin/index.js";
import { alignColumns } from "../../base/columns.js";
import { counted, formatInteger } from "../../base/format.js";

/** Max replies listed individually. */
const LISTED_REPLIES = 5;

const KINDS: readonly (readonly [name: string, field: keyof Usage])[] = [
    ["input", "inputTokens"],
    ["read from cache", "cacheReadTokens"],
    ["written to cache", "cacheWriteTokens"],
    ["written to cache (1 h)", "cacheWriteLongTokens"],
    ["output", "outputTokens"],
];

export const usage: SlashCommand = {
    name: "usage",
    description: "Show the tokens of this conversation by kind, and how full the context is.",
    usage: "/usage",
    onlyShows: true,
    async run(_argumentsText, { conversation, screen }) {
        const replies = conversation.replies();
        const {
            totalTokens,
            reportedTokens = totalTokens,
            limitTokens,
        } = conversation.contextUsage();
        const filled = `${formatInteger(reportedTokens)} of ${formatInteger(limitTokens)} tokens`;
        const lines = replies.length === 0 ? ["  nothing yet"] : summary(replies);
        const fill = `Context: ${filled} (${percent(reportedTokens, limitTokens)})`;
        screen.print(["This conversation, in tokens", ...lines, fill].join("\n"));
    },
};

function summary(replies: readonly ReplyUsage[]): string[] {
    const totals = KINDS.map(([name, field]) => ({
        name,
        field,
        tokens: replies.reduce((sum, { usage: one }) => sum + (one[field] ?? 0), 0),
    })).filter(({ tokens, field }) => tokens > 0 || !field.startsWith("cacheWriteLong"));
    const cached = totals.find(({ field }) => field === "cacheReadTokens")?.tokens ?? 0;
    const sent = totals.reduce(
        (sum, { field, tokens }) => sum + (field === "outputTokens" ? 0 : tokens),
        0
    );
    const rows = totals.map(({ name, tokens }) => [`  ${name}`, formatInteger(tokens)]);
    return [
        ...alignColumns(rows, { right: [1] }),
        `${counted(replies.length, "request")}; ${percent(cached, sent)} of what was sent came from the cache`,
        ...lastReplies(replies),
    ];
}

function lastReplies(replies: readonly ReplyUsage[]): string[] {
    const first = Math.max(0, replies.length - LISTED_REPLIES);
    return replies.slice(first).map(({ model, usage: one }, index) => {
        const { inputTokens = 0, cacheReadTokens = 0, outputTokens = 0 } = one;
        const written = (one.cacheWriteTokens ?? 0) + (one.cacheWriteLongTokens ?? 0);
        const sent = inputTokens + cacheReadTokens + written;
        const cached = percent(cacheReadTokens, sent);
        return `  ${first + index + 1}. ${formatInteger(sent)} in (${cached} cached), ${formatInteger(outputTokens)} out  ${model}`;
    });
}

function percent(part: number, whole: number): string {
    const rounded = whole === 0 ? 0 : Math.round((100 * part) / whole);
    // "100%" only for all of it.
    return `${part < whole ? Math.min(rounded, 99) : rounded}%`;
}
