import type { SlashCommand } from "../../plugin/index.js";
import { startingWith, wrongUsage } from "./wording.js";

const MODES = [
    { value: "ask", description: "reads and answers, changes nothing" },
    { value: "draft", description: "has all tools; the whole task is reviewed once" },
    { value: "agent", description: "has all tools; edits and commands are reviewed" },
] as const;

export const mode: SlashCommand = {
    name: "mode",
    description: "Switch between ask, draft and agent.",
    usage: "/mode [ask|draft|agent]",
    takesOneWord: true,
    complete: (argument) => startingWith(argument, MODES),
    async run(argumentsText, context) {
        const current = context.session.mode.current();
        const options = MODES.map((each) => ({ ...each, isCurrent: each.value === current }));
        const typed = argumentsText.trim().toLowerCase();
        const name = typed || (await context.screen.pick("Which mode?", options));
        if (name === undefined) return;
        const chosen = MODES.find(({ value }) => value === name);
        if (!chosen) {
            throw wrongUsage(mode, `There is no mode "${name}".`);
        }
        context.session.mode.select(chosen.value);
        context.screen.print(`Mode: ${chosen.value} (${chosen.description})`);
    },
};
