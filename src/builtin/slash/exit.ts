import type { SlashCommand } from "../../plugin/index.js";

/** `/exit`: the same as `/quit`, for hands that are used to it. */
export const exit: SlashCommand = {
    name: "exit",
    description: "Leave North.",
    usage: "/exit",
    async run(_argumentsText, context) {
        context.quit();
    },
};
