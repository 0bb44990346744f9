import type { Completion, SlashCommand, SlashContext } from "../../plugin/index.js";

type Listed = Awaited<ReturnType<SlashContext["models"]["list"]>>[number];

/** `/model`: another model, by name or from a list. */
export const model: SlashCommand = {
    name: "model",
    description: "Choose the model.",
    usage: "/model [alias]",
    async complete(argument, context) {
        const typed = normalize(argument);
        return (await servedModels(context))
            .map(toCompletion)
            .filter(({ value }) => normalize(value).startsWith(typed));
    },
    async run(argumentsText, context) {
        const name = argumentsText.trim() || (await pickModel(context));
        if (name === undefined) return;
        const selected = await context.models.select(name);
        context.print(`Model: ${selected.displayName}`);
    },
};

async function pickModel(context: SlashContext): Promise<string | undefined> {
    const { current } = context.models;
    const options = (await servedModels(context)).map((listed) => ({
        id: listed.model.id,
        label: listed.model.displayName,
        hint: hintOf(listed, listed.model.id === current.id),
    }));
    return context.pick(`Model (now ${current.displayName})`, options);
}

async function servedModels(context: SlashContext): Promise<readonly Listed[]> {
    const listed = await context.models.list();
    return listed.filter(({ model: { replacedBy } }) => replacedBy === undefined);
}

function toCompletion({ model: { aliases, id, displayName } }: Listed): Completion {
    return { value: aliases[0] ?? id, description: displayName };
}

function hintOf({ model: { aliases, id }, provider, hasKey }: Listed, isCurrent: boolean): string {
    const notes = [aliases[0] ?? id, provider];
    if (!hasKey) notes.push("no key");
    if (isCurrent) notes.push("current");
    return notes.join(", ");
}

// Dots and dashes in the names of models are the same.
function normalize(name: string): string {
    return name.toLowerCase().replaceAll(".", "-");
}
