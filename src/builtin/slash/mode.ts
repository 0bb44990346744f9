import type { Mode, SlashCommand } from "../../plugin/index.js";

const MODES: readonly { readonly mode: Mode; readonly meaning: string }[] = [
    { mode: "ask", meaning: "reads and answers, changes nothing" },
    { mode: "agent", meaning: "has all tools; edits and commands are reviewed" },
];

/** `/mode`: what the following messages may do. */
export const mode: SlashCommand = {
    name: "mode",
    description: "Switch between ask and agent.",
    usage: "/mode [ask|agent]",
    complete(argument) {
        return MODES.filter(({ mode: name }) => name.startsWith(argument)).map(
            ({ mode: value, meaning: description }) => ({ value, description })
        );
    },
    async run(argumentsText, context) {
        const current = context.mode.current();
        const options = MODES.map(({ mode: value, meaning: description }) => ({
            value,
            description,
            isCurrent: value === current,
        }));
        const typed = argumentsText.trim().toLowerCase();
        const name = typed || (await context.pick("Which mode?", options));
        if (name === undefined) return;
        const chosen = MODES.find((known) => known.mode === name);
        if (!chosen) {
            context.print(`There is no mode "${name}". Usage: ${mode.usage}`);
            return;
        }
        context.mode.select(chosen.mode);
        context.print(`Mode: ${chosen.mode} (${chosen.meaning})`);
    },
};
