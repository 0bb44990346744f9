import type { SlashCommand } from "../../plugin/index.js";

export const quit: SlashCommand = {
    name: "quit",
    description: "Quit North.",
    usage: "/quit",
    onlyInTerminal: true,
    async run(_argumentsText, context) {
        context.screen.quit();
    },
};

/** A habitual alias. */
export const exit: SlashCommand = { ...quit, name: "exit", usage: "/exit" };
