import type { SlashCommand } from "../../plugin/index.js";

/** `/new`: a conversation that knows nothing of this one; the shell goes on. */
export const newConversation: SlashCommand = {
    name: "new",
    description: "Start a new conversation; the shell session stays.",
    usage: "/new",
    async run(_argumentsText, context) {
        const before = context.conversation.id;
        await context.conversation.startNew();
        context.print(`New conversation. Return to the last one with: north resume ${before}`);
    },
};
