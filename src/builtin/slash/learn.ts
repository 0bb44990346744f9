import { formatUsd } from "../../base/format.js";
import type { SlashCommand } from "../../plugin/index.js";
import { wrongUsage } from "./wording.js";

export const learn: SlashCommand = {
    name: "learn",
    description: "Study this project for later conversations.",
    usage: "/learn [no]",
    takesOneWord: true,
    async run(argumentsText, context) {
        const answer = argumentsText.trim();
        if (answer !== "" && answer !== "no") throw wrongUsage(learn);
        if (answer === "no") {
            await context.project.profile.decline();
            return context.screen.print("North will not offer this again. /learn still works.");
        }
        await context.screen.during("Learning the project", async (signal, show) => {
            const { file, learned, failed, costUsd } = await context.project.profile.learn({
                signal,
                progress: (title, percent) => show(`Learning: ${title} (${percent}%)`),
                tell: context.screen.print,
            });
            const count = `${learned.length} of ${learned.length + failed.length} topics`;
            const cost = costUsd === null ? "at an unknown price" : `for ${formatUsd(costUsd)}`;
            context.screen.print(`${count} learned ${cost}: ${file}`);
        });
    },
};
