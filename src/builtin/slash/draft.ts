import type { PlannedDraft, SlashCommand, SlashContext } from "../../plugin/index.js";
import { planOnScreen } from "./confirm-and-apply.js";
import { startingWith, wrongUsage } from "./wording.js";

export const draft: SlashCommand = {
    name: "draft",
    description: "Show, apply or discard the draft; /mode draft begins one.",
    usage: "/draft [apply|discard]",
    takesOneWord: true,
    complete: (argument) => startingWith(argument, ["apply", "discard"]),
    async run(argumentsText, context) {
        const word = argumentsText.trim().toLowerCase();
        if (!["", "apply", "discard", "drop"].includes(word)) throw wrongUsage(draft);
        const planned = await planOnScreen(context.screen, () => context.changes.planDraft());
        if (!planned) {
            return context.screen.print(
                "There is no draft. In draft mode (/mode draft) edits begin one."
            );
        }
        if (word === "discard" || word === "drop") return discardDraft(planned, context);
        if (word === "") return show(planned, context);
        await context.reviewDraft();
    },
};

async function show(planned: PlannedDraft, { screen }: SlashContext): Promise<void> {
    const { line, changeSet, conflicts, merged } = planned;
    await screen.showChanges(changeSet);
    if (merged.length > 0) screen.print(`Merged with changes made since: ${merged.join(", ")}.`);
    const files = [...new Set(conflicts.map(({ path }) => path))];
    if (files.length > 0) screen.print(`Conflicts with changes made since: ${files.join(", ")}.`);
    screen.print(`Draft: ${line}. /draft apply writes it, /draft discard removes it.`);
}

async function discardDraft(
    { line, discard }: PlannedDraft,
    { screen }: SlashContext
): Promise<void> {
    if (!(await screen.confirm(`Discard this draft (${line})?`))) {
        return screen.print("The draft is kept.");
    }
    await discard();
    screen.print("Draft discarded. /undo brings it back.");
}
