import type { SlashCommand } from "../../plugin/index.js";

const USAGE = "/rescue [ID]";

/** `/rescue`: files that commands did away with. */
export const rescue: SlashCommand = {
    name: "rescue",
    description: "Show what commands deleted or overwrote and git does not hold, or bring it back.",
    usage: USAGE,
    async complete(argument, context) {
        const kept = await context.rescues.list();
        return kept
            .filter(({ id }) => id.startsWith(argument))
            .map(({ id, command }) => ({ value: id, description: command }));
    },
    async run(argumentsText, context) {
        const id = argumentsText.trim();
        if (id !== "") {
            const files = await context.rescues.restore(id);
            return context.print(
                files.length > 0 ? `Restored:\n${files.join("\n")}` : "Nothing changed."
            );
        }
        const kept = await context.rescues.list();
        const lines = kept.map(({ line }) => `  ${line}`);
        context.print(
            lines.length > 0
                ? ["Kept, newest last; /rescue ID brings back:", ...lines].join("\n")
                : "Nothing is kept for this project."
        );
    },
};
