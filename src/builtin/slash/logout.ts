import type { SlashCommand } from "../../plugin/index.js";
import { startingWith } from "./wording.js";

export const logout: SlashCommand = {
    name: "logout",
    description: "Remove a provider's stored key; by default, the current model's.",
    usage: "/logout [PROVIDER]",
    takesOneWord: true,
    complete: (argument, { keys }) => startingWith(argument, keys.providers),
    async run(argumentsText, { keys, screen }) {
        screen.print(await keys.forget(argumentsText.trim() || undefined));
    },
};
