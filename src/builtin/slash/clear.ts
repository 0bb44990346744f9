import { formatTokens } from "../../base/format.js";
import type { SlashCommand } from "../../plugin/index.js";

export const clear: SlashCommand = {
    name: "clear",
    description: "Clear the screen and keep the conversation.",
    usage: "/clear",
    onlyInTerminal: true,
    async run(_argumentsText, context) {
        context.screen.clearScreen();
        if (context.conversation.replies().length === 0) return;
        const { totalTokens, reportedTokens = totalTokens } = context.conversation.contextUsage();
        const kept = formatTokens(reportedTokens);
        context.screen.print(
            `Screen cleared; the conversation continues (${kept} tokens). /new starts a new one.`
        );
    },
};
