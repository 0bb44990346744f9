import type { ModelInfo, Option, SlashCommand, SlashContext } from "../../plugin/index.js";
import { startingWith } from "./wording.js";

export const thinking: SlashCommand = {
    name: "thinking",
    description:
        "Extended thinking: on, off, or an effort level such as low or max, where supported.",
    usage: "/thinking [on|off|LEVEL]",
    takesOneWord: true,
    complete: (argument, { session }) => startingWith(argument, wordsOf(session.models.current())),
    async run(argumentsText, context) {
        const setting = argumentsText.trim();
        if (setting !== "") context.session.thinking.select(setting);
        context.screen.print(stateOf(context));
    },
};

function wordsOf({ thinking: way, efforts = [] }: ModelInfo): Option[] {
    const off = { value: "off", description: "answers at once" };
    if (way === undefined) return [off];
    return [
        { value: "on", description: "thinks first" },
        off,
        ...efforts.map((value) => ({ value, description: `thinks first, ${value} effort` })),
    ];
}

function stateOf({ session: { models, thinking } }: SlashContext): string {
    const { displayName, thinking: way, alwaysThinks } = models.current();
    const choice = thinking.current();
    if (way === undefined) return `Thinking: off (${displayName} has no thinking setting)`;
    if (!choice.on) {
        return alwaysThinks ? `Thinking: default (${displayName} decides)` : "Thinking: off";
    }
    return `Thinking: on${choice.effort ? `, ${choice.effort} effort` : ""}`;
}
