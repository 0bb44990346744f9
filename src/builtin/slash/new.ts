import type { SlashCommand } from "../../plugin/index.js";

export const newConversation: SlashCommand = {
    name: "new",
    description: "Start a new conversation; the shell session stays.",
    usage: "/new",
    onlyInTerminal: true,
    async run(_argumentsText, context) {
        const before = context.conversation.id;
        await context.conversation.startNew();
        // Nothing was said, so there is nothing to return to.
        const wasKept = (await context.conversations.list()).some(({ id }) => id === before);
        const next = wasKept ? ` /resume ${before} returns to the last one.` : "";
        context.screen.print(`New conversation.${next}`);
    },
};
