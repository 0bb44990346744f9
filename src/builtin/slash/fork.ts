import { NorthError } from "../../base/north-error.js";
import type { SlashCommand } from "../../plugin/index.js";

export const fork: SlashCommand = {
    name: "fork",
    description: "Continue in a copy of this conversation; it stays as it is.",
    usage: "/fork [TURN]",
    onlyInTerminal: true,
    async run(argumentsText, context) {
        const { conversation, print } = context;
        const text = argumentsText.trim();
        if (!/^\d*$/.test(text)) {
            throw new NorthError("wrong-usage", `"${text}" is not the number of a turn.`, [
                "`/fork 3` keeps the first three of your messages and what came of them.",
            ]);
        }
        const before = conversation.id;
        const notices = await conversation.fork(text === "" ? undefined : Number(text));
        const turn = text === "" ? "" : ` after turn ${text}`;
        print(`Forked ${before}${turn}. \`/resume ${before}\` returns to it.`);
        for (const notice of notices) print(notice);
        if (text !== "") context.showExchanges();
    },
};
