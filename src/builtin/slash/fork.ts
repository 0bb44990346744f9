import { NorthError } from "../../base/north-error.js";
import type { SlashCommand } from "../../plugin/index.js";

export const fork: SlashCommand = {
    name: "fork",
    description: "Continue in a copy and leave the original unchanged.",
    usage: "/fork [TURN]",
    takesOneWord: true,
    onlyInTerminal: true,
    async run(argumentsText, context) {
        const { conversation, screen } = context;
        const text = argumentsText.trim();
        if (!/^\d*$/.test(text)) {
            throw new NorthError("wrong-usage", `"${text}" is not a turn number.`, [
                "`/fork 3` keeps your first three messages and the answers to them.",
            ]);
        }
        const before = conversation.id;
        const notices = await conversation.fork(text === "" ? undefined : Number(text));
        const turn = text === "" ? "" : ` after turn ${text}`;
        screen.print(`Forked ${before}${turn}. \`/resume ${before}\` returns to it.`);
        for (const notice of notices) screen.print(notice);
        if (text !== "") screen.showExchanges();
    },
};
