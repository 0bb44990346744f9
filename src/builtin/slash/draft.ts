import { countedFiles } from "../../plugin/change-set.js";
import type { PlannedDraft, SlashCommand, SlashContext } from "../../plugin/index.js";
import { startingWith, wrongUsage } from "./wording.js";

export const draft: SlashCommand = {
    name: "draft",
    description: "Show, apply or drop the draft; /mode draft begins one.",
    usage: "/draft [apply|drop]",
    takesOneWord: true,
    complete: (argument) => startingWith(argument, ["apply", "drop"]),
    async run(argumentsText, context) {
        const word = argumentsText.trim().toLowerCase();
        if (!["", "apply", "drop"].includes(word)) throw wrongUsage(draft);
        const planned = await context.changes.planDraft();
        if (!planned) {
            return context.screen.print(
                "There is no draft. In draft mode (/mode draft) edits begin one."
            );
        }
        if (word === "drop") return drop(planned, context);
        if (planned.conflicts.length > 0) {
            context.screen.print(
                "The draft conflicts with changes made since in the project. Nothing was written."
            );
            return context.screen.printVerbatim(
                planned.conflicts.map(({ text }) => text).join("\n")
            );
        }
        return word === "apply" ? apply(planned, context) : show(planned, context);
    },
};

async function show(planned: PlannedDraft, { screen }: SlashContext): Promise<void> {
    await screen.showChanges(planned.changeSet);
    printMerged(planned, screen);
    screen.print(`Draft: ${planned.line}. /draft apply writes it, /draft drop discards it.`);
}

async function apply(planned: PlannedDraft, { screen }: SlashContext): Promise<void> {
    const { changeSet, line } = planned;
    screen.print(`Draft: ${line}.`);
    printMerged(planned, screen);
    if (!(await screen.confirmChanges("Apply this draft", changeSet))) {
        return screen.print("The draft is kept.");
    }
    const dropped = await planned.apply();
    screen.print(`Draft applied to ${countedFiles(changeSet.changes)}. /undo takes it back.`);
    if (dropped !== undefined) screen.print(dropped);
}

function printMerged({ merged }: PlannedDraft, screen: SlashContext["screen"]): void {
    if (merged.length > 0) screen.print(`Merged with changes made since: ${merged.join(", ")}.`);
}

async function drop({ line, discard }: PlannedDraft, { screen }: SlashContext): Promise<void> {
    if (!(await screen.confirm(`Drop this draft (${line})?`))) {
        return screen.print("The draft is kept.");
    }
    await discard();
    screen.print("Draft discarded. /undo brings it back.");
}
