import type { SlashCommand } from "../../plugin/index.js";

const MODES = [
    { mode: "auto", meaning: "commands that are not allowed run contained first" },
    { mode: "off", meaning: "North asks before every command that is not allowed" },
    {
        mode: "required",
        meaning: "all commands run contained first; North asks before any runs for real",
    },
] as const;

/** `/contain`: how commands run contained, and what they see. */
export const contain: SlashCommand = {
    name: "contain",
    description: "Show what contained commands see, or switch containment.",
    usage: "/contain [auto|off|required]",
    complete(argument) {
        return MODES.filter(({ mode }) => mode.startsWith(argument)).map(
            ({ mode: value, meaning: description }) => ({ value, description })
        );
    },
    async run(argumentsText, context) {
        const typed = argumentsText.trim().toLowerCase();
        const chosen = MODES.find(({ mode }) => mode === typed);
        if (typed !== "" && !chosen) return context.print(`Usage: ${contain.usage}`);
        if (chosen) context.containment.setMode(chosen.mode);
        const mode = context.containment.mode();
        const meaning = MODES.find((each) => each.mode === mode)?.meaning ?? "";
        context.print(`Containment: ${mode} (${meaning})`);
        if (!chosen) context.print((await context.containment.describe()).join("\n"));
    },
};
