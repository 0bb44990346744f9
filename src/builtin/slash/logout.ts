import type { SlashCommand } from "../../plugin/index.js";

/** `/logout`: forgets a stored key. */
export const logout: SlashCommand = {
    name: "logout",
    description: "Forget the stored key of a provider; of the current model's if none is named.",
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
