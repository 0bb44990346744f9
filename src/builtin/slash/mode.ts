import type { SlashCommand } from "../../plugin/index.js";
import { MODE_IDS, MODES } from "../../plugin/modes.js";
import { startingWith, wrongUsage } from "./wording.js";

const OPTIONS = MODES.map(({ id, description }) => ({ value: id, description }));

export const mode: SlashCommand = {
    name: "mode",
    description: "Switch between ask, plan, draft and agent.",
    usage: `/mode [${MODE_IDS.join("|")}]`,
    takesOneWord: true,
    complete: (argument) => startingWith(argument, OPTIONS),
    async run(argumentsText, context) {
        const current = context.session.mode.current();
        const options = OPTIONS.map((each) => ({ ...each, isCurrent: each.value === current }));
        const typed = argumentsText.trim().toLowerCase();
        const name = typed || (await context.screen.pick("Which mode?", options));
        if (name === undefined) return;
        const chosen = OPTIONS.find(({ value }) => value === name);
        if (!chosen) {
            throw wrongUsage(mode, `There is no mode "${name}".`);
        }
        context.session.mode.select(chosen.value);
        context.screen.print(`Mode: ${chosen.value} (${chosen.description})`);
    },
};
