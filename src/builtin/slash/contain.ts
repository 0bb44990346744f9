import type { SlashCommand } from "../../plugin/index.js";
import { startingWith, wrongUsage } from "./wording.js";

const MODES = [
    { value: "auto", description: "commands that are not allowed run contained first" },
    { value: "off", description: "North asks before every command that is not allowed" },
    {
        value: "required",
        description: "all commands run contained first; North asks before any runs for real",
    },
    {
        value: "external",
        description: "this machine is a container: commands run for real, changes are recorded",
    },
] as const;

export const contain: SlashCommand = {
    name: "contain",
    description: "Show what contained commands see, or switch containment.",
    usage: "/contain [auto|off|required|external]",
    takesOneWord: true,
    complete: (argument) => startingWith(argument, MODES),
    async run(argumentsText, context) {
        const typed = argumentsText.trim().toLowerCase();
        const chosen = MODES.find(({ value }) => value === typed);
        if (typed !== "" && !chosen) throw wrongUsage(contain);
        if (chosen) context.shell.containment.setMode(chosen.value);
        const mode = context.shell.containment.mode();
        const meaning = MODES.find(({ value }) => value === mode)?.description ?? "";
        context.screen.print(`Containment: ${mode} (${meaning})`);
        const seen = chosen ? [] : await context.shell.containment.describe();
        if (seen.length > 0) context.screen.print(seen.join("\n"));
    },
};
