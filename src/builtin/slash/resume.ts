import type { SlashCommand } from "../../plugin/index.js";
import { conversations, resumeConversation } from "./conversations.js";

export const resume: SlashCommand = {
    name: "resume",
    description: "Resume an earlier conversation of this project.",
    usage: "/resume [ID|NAME]",
    onlyInTerminal: true,
    async complete(argument, context) {
        const beginning = argument.toLowerCase();
        const known = await context.conversations.list();
        return known
            .filter(({ id, name = "" }) =>
                [id, name.toLowerCase()].some((each) => each.startsWith(beginning))
            )
            .map(({ id, name, firstWords }) => ({ value: id, description: name ?? firstWords }));
    },
    async run(argumentsText, context) {
        const id = argumentsText.trim();
        if (id === "") return conversations.run("", context);
        const known = await context.conversations.list();
        const named = known.find(({ name = "" }) => name.toLowerCase() === id.toLowerCase());
        const begun = known.filter((each) => each.id.startsWith(id));
        const found = named ?? (begun.length === 1 ? begun[0] : undefined);
        await resumeConversation(found?.id ?? id, context);
    },
};
