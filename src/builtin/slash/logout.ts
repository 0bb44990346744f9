import type { SlashCommand } from "../../plugin/index.js";

/** `/logout`: forgets a stored key. */
export const logout: SlashCommand = {
    name: "logout",
    description: "Remove a provider's stored key; by default, the current model's.",
    usage: "/logout [PROVIDER]",
    complete(argument, { keys }) {
        return keys.providers
            .filter((value) => value.startsWith(argument))
            .map((value) => ({ value }));
    },
    async run(argumentsText, { keys, print }) {
        print(await keys.forget(argumentsText.trim() || undefined));
    },
};
