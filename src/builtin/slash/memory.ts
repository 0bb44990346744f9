import type { SlashCommand, SlashContext } from "../../plugin/index.js";
import { startingWith, unquote, wrongUsage } from "./wording.js";

export const memory: SlashCommand = {
    name: "memory",
    description: "Show what North remembers, add to it, or remove from it.",
    usage: "/memory [add [--global] TEXT | remove N]",
    complete: (argument) => startingWith(argument, ["add", "add --global", "remove"]),
    async run(argumentsText, context) {
        const [, verb = "", rest = ""] = /^(\S*)(?:\s+(\S.*))?$/s.exec(argumentsText.trim()) ?? [];
        if (verb === "") return show(context);
        if (verb === "add" && rest !== "") return add(rest, context);
        if (verb === "remove" && /^\d+$/.test(rest)) return remove(Number(rest), context);
        throw wrongUsage(memory);
    },
};

async function show(context: SlashContext): Promise<void> {
    const entries = await context.project.memory.list();
    if (entries.length === 0) {
        return context.screen.print("Nothing remembered yet. Add something with /memory add TEXT.");
    }

    const numbered = entries.map((entry, index) => ({ ...entry, number: index + 1 }));
    const lines = (["project", "global"] as const).flatMap((scope) => {
        const own = numbered.filter((entry) => entry.scope === scope);
        const rows = own.map(
            (each) => `  ${each.number}. ${each.text.replaceAll("\n", "\n     ")}`
        );
        return rows.length === 0 ? [] : [TITLES[scope], ...rows];
    });
    context.screen.print(lines.join("\n"));
}

const TITLES = { project: "In this project:", global: "Everywhere:" } as const;

async function add(rest: string, context: SlashContext): Promise<void> {
    const [, flag, text = ""] = /^(--global\s+)?((?:\S.*)?)$/s.exec(rest) ?? [];
    const scope = flag === undefined ? "project" : "global";
    await context.project.memory.add({ scope, text: unquote(text.trim()) });
    const where = scope === "project" ? "in this project" : "everywhere";
    context.screen.print(`Remembered ${where}; the model reads it with your next message.`);
}

/** Removes by text, not by number: another North may have changed the list meanwhile. */
async function remove(number: number, context: SlashContext): Promise<void> {
    const entry = (await context.project.memory.list())[number - 1];
    if (!entry) return context.screen.print(`There is no entry ${number}; /memory lists them.`);
    const isGone = await context.project.memory.remove(entry);
    context.screen.print(isGone ? `Removed: ${entry.text}` : "Already removed.");
}
