import type { SlashCommand } from "../../plugin/index.js";
import { startingWith } from "./wording.js";

const MODES = [
    { value: "ask", description: "reads and answers, changes nothing" },
    { value: "agent", description: "has all tools; edits and commands are reviewed" },
] as const;

export const mode: SlashCommand = {
    name: "mode",
    description: "Switch between ask and agent.",
    usage: "/mode [ask|agent]",
    complete: (argument) => startingWith(argument, MODES),
    async run(argumentsText, context) {
        const current = context.session.mode.current();
        const options = MODES.map((each) => ({ ...each, isCurrent: each.value === current }));
        const typed = argumentsText.trim().toLowerCase();
        const name = typed || (await context.screen.pick("Which mode?", options));
        if (name === undefined) return;
        const chosen = MODES.find(({ value }) => value === name);
        if (!chosen) {
            return context.screen.print(`There is no mode "${name}". Usage: ${mode.usage}`);
        }
        context.session.mode.select(chosen.value);
        context.screen.print(`Mode: ${chosen.value} (${chosen.description})`);
    },
};
