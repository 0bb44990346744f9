import { formatCost } from "../../base/format.js";
import type { SlashCommand } from "../../plugin/index.js";
import { wrongUsage } from "./wording.js";

export const btw: SlashCommand = {
    name: "btw",
    description: "Ask a side question that the conversation does not keep.",
    usage: "/btw QUESTION",
    async run(argumentsText, { conversation, screen }) {
        const question = argumentsText.trim();
        if (question === "") throw wrongUsage(btw);
        await screen.during("Asking", async (signal) => {
            const { text, costUsd } = await conversation.askAside(question, {
                signal,
                tell: screen.print,
            });
            screen.print(`${text}\n\nNot kept in the conversation · ${formatCost(costUsd)}`);
        });
    },
};
