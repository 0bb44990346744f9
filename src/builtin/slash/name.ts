import type { SlashCommand } from "../../plugin/index.js";
import { unquote } from "./wording.js";

export const name: SlashCommand = {
    name: "name",
    description: "Name this conversation, to find and resume it by its name.",
    usage: "/name [TEXT]",
    onlyInTerminal: true,
    async run(argumentsText, { conversation, screen }) {
        const text = unquote(argumentsText.trim());
        if (text !== "") await conversation.rename(text);
        screen.print(
            conversation.name === ""
                ? "This conversation has no name. `/name TEXT` gives it one."
                : `This conversation is called "${conversation.name}".`
        );
    },
};
