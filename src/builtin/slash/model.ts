import { formatTokens, formatUsd } from "../../base/format.js";
import type { Option, SlashCommand, SlashContext } from "../../plugin/index.js";

type Listed = Awaited<ReturnType<SlashContext["session"]["models"]["list"]>>[number];

export const model: SlashCommand = {
    name: "model",
    description: "Choose the model.",
    usage: "/model [alias | alias-thinking]",
    takesOneWord: true,
    async complete(argument, context) {
        const typed = normalize(argument);
        const all = await context.session.models.list();
        return all
            .flatMap((listed) => toCompletions(listed, all, typed))
            .filter(({ value }) => normalize(value).startsWith(typed));
    },
    async run(argumentsText, context) {
        const name = argumentsText.trim() || (await pickModel(context));
        if (name === undefined) return;
        const { thinking } = context.session;
        const wasOn = thinking.current().on;
        const selected = await context.session.models.select(name);
        const note = thinking.current().on ? ", thinking" : wasOn ? ", thinking off" : "";
        context.screen.print(`Model: ${selected.displayName}${note}`);
        if (selected.notice !== undefined) context.screen.print(selected.notice);
    },
};

async function pickModel(context: SlashContext): Promise<string | undefined> {
    const options = (await context.session.models.list()).map((listed) => ({
        value: `${listed.provider}/${listed.model.id}`,
        label: listed.model.displayName,
        description: hintOf(listed),
        isCurrent: listed.isCurrent,
    }));
    return context.screen.pick("Which model?", options);
}

/** Thinking variants are offered only after typing: they would double the full list. */
function toCompletions(listed: Listed, all: readonly Listed[], typed: string): Option[] {
    const { model, provider } = listed;
    const name = nameOf(listed);
    const isUnique = all.every((other) => other === listed || nameOf(other) !== name);
    const value = isUnique ? name : `${provider}/${name}`;
    const plain = { value, description: model.displayName };
    if (typed === "" || model.thinking === undefined) return [plain];
    const description = `${plain.description}, thinking`;
    return [plain, { value: `${plain.value}-thinking`, description }];
}

function nameOf({ model: { aliases, id } }: Listed): string {
    return aliases[0] ?? id;
}

function hintOf(listed: Listed): string {
    const { model, provider, hasKey } = listed;
    const { contextTokens, prices } = model;
    return [
        // The offline model is called as its provider.
        ...new Set([nameOf(listed), provider]),
        `${formatTokens(contextTokens)} context`,
        ...(prices ? [`${price(prices.input)}/${price(prices.output)} per M`] : []),
        ...(hasKey ? [] : ["no key"]),
    ].join(", ");
}

/** `$2`, `$0.10`: a row of the picker has few columns. */
function price(usd: number): string {
    return formatUsd(usd).replace(/\.00$/, "");
}

// Model names use dots and dashes interchangeably.
function normalize(name: string): string {
    return name.toLowerCase().replaceAll(".", "-");
}
