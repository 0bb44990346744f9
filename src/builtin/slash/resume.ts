import type { SlashCommand } from "../../plugin/index.js";
import { conversations, goOnWith } from "./conversations.js";

/** `/resume`: another conversation of this project, by its id. */
export const resume: SlashCommand = {
    name: "resume",
    description: "Go on with an earlier conversation of this project.",
    usage: "/resume [ID]",
    onlyInTerminal: true,
    async complete(argument, context) {
        const known = await context.conversations.list();
        return known
            .filter(({ id }) => id.startsWith(argument))
            .map(({ id, firstWords }) => ({ value: id, description: firstWords }));
    },
    async run(argumentsText, context) {
        const id = argumentsText.trim();
        if (id === "") return conversations.run("", context);
        await goOnWith(id, context);
    },
};
