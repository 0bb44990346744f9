import type { SlashCommand } from "../../plugin/index.js";
import { startingWith } from "./wording.js";

export const rescue: SlashCommand = {
    name: "rescue",
    description: "List files that commands deleted or overwrote, or restore them.",
    usage: "/rescue [ID]",
    takesOneWord: true,
    async complete(argument, context) {
        const kept = await context.changes.rescues.list();
        return startingWith(
            argument,
            kept.map(({ id, command }) => ({ value: id, description: command }))
        );
    },
    async run(argumentsText, context) {
        const id = argumentsText.trim();
        if (id !== "") {
            const files = await context.changes.rescues.restore(id);
            return context.screen.print(
                files.length > 0 ? `Restored:\n${files.join("\n")}` : "Nothing changed."
            );
        }
        const kept = await context.changes.rescues.list();
        const lines = kept.map(({ line }) => `  ${line}`);
        context.screen.print(
            lines.length > 0
                ? ["Kept files, newest last. /rescue ID restores them:", ...lines].join("\n")
                : "No files are kept for this project."
        );
    },
};
