import type { SlashCommand } from "../../plugin/index.js";

/** `/clear`: an empty screen; the conversation is kept. */
export const clear: SlashCommand = {
    name: "clear",
    description: "Clear the screen and keep the conversation.",
    usage: "/clear",
    onlyInTerminal: true,
    async run(_argumentsText, context) {
        context.clearScreen();
    },
};
