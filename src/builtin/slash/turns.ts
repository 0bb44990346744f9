import type { SlashCommand } from "../../plugin/index.js";

export const turns: SlashCommand = {
    name: "turns",
    description: "List the turns that changed files; /drop undoes one.",
    usage: "/turns",
    async run(_argumentsText, context) {
        const lines = context.changes.turns().map(({ line }) => `  ${line}`);
        if (lines.length === 0) return context.screen.print("No turn has changed a file yet.");
        context.screen.print(lines.join("\n"));
    },
};
