import { countedFiles } from "../../plugin/change-set.js";
import type { ProjectReview, SlashCommand, SlashContext } from "../../plugin/index.js";
import { reviewText } from "../../plugin/review-text.js";
import { confirmAndApply } from "./confirm-and-apply.js";

export const review: SlashCommand = {
    name: "review",
    description:
        "Have the model review the uncommitted changes, those since a branch, or a commit.",
    usage: "/review [BASE|COMMIT]",
    takesOneWord: true,
    async run(argumentsText, context) {
        const { screen, project } = context;
        const target = argumentsText.trim() || undefined;
        const done = await screen.during("Reviewing", (signal, progress) =>
            project.review(target, { signal, progress, tell: screen.print })
        );
        if (done === undefined) return;
        screen.print(reviewText(done));
        await offerSuggestions(done, context);
    },
};

async function offerSuggestions(done: ProjectReview, { screen }: SlashContext): Promise<void> {
    const planned = await done.suggestions();
    if (planned === undefined) return;
    const { changeSet, omitted } = planned;
    if (omitted > 0) screen.print(`Suggestions that no longer fit the files: ${omitted}.`);
    if (!(await confirmAndApply(screen, "Apply the suggestions", planned))) return;
    screen.print(`Applied to ${countedFiles(changeSet.changes)}. /undo reverses it.`);
}
