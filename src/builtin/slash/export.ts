import type { SlashCommand } from "../../plugin/index.js";

/** `/export`: this conversation as a file. */
export const exportConversation: SlashCommand = {
    name: "export",
    description: "Write this conversation to a file: Markdown, or JSON where its name says so.",
    usage: "/export [FILE]",
    async run(argumentsText, context) {
        const file = argumentsText.trim();
        const written = await context.conversation.export(file === "" ? undefined : file);
        context.print(`Wrote ${written}`);
    },
};
