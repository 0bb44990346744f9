import type { SlashCommand } from "../../plugin/index.js";

export const exportConversation: SlashCommand = {
    name: "export",
    description:
        "Export this conversation as Markdown, or as JSON or HTML to a .json or .html file.",
    usage: "/export [FILE]",
    async run(argumentsText, context) {
        const file = argumentsText.trim();
        const written = await context.conversation.export(file === "" ? undefined : file);
        context.screen.print(`Wrote ${written}`);
    },
};
