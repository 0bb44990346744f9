import type { AllowedCommand, SlashCommand, SlashContext } from "../../plugin/index.js";
import { startingWith, unquote } from "./wording.js";

export const allowlist: SlashCommand = {
    name: "allowlist",
    description: "List the commands that run without asking, or remove one.",
    usage: "/allowlist [remove COMMAND]",
    complete: (argument) => startingWith(argument, ["remove"]),
    async run(argumentsText, context) {
        const removal = /^remove\s+(\S.*)$/s.exec(argumentsText.trim())?.[1];
        if (removal !== undefined) return remove(unquote(removal), context);
        if (argumentsText.trim() !== "") return context.screen.print(`Usage: ${allowlist.usage}`);
        const allowed = await context.permissions.approvals.allowedCommands();
        context.screen.print(
            allowed.length === 0
                ? "No commands are on this project's allowlist."
                : ["These run without asking in this project:", ...allowed.map(lineOf)].join("\n")
        );
    },
};

/** Removes a command in every folder where it is allowed. */
async function remove(command: string, context: SlashContext): Promise<void> {
    const allowed = await context.permissions.approvals.allowedCommands();
    const meant = allowed.filter((entry) => entry.command === command);
    for (const entry of meant) await context.permissions.approvals.removeCommand(entry);
    context.screen.print(
        meant.length === 0
            ? `Not in the allowlist: ${command}`
            : ["North will ask again before running:", ...meant.map(lineOf)].join("\n")
    );
}

function lineOf({ command, cwd }: AllowedCommand): string {
    return cwd === "" ? `  ${command}` : `  ${command}  (in ${cwd})`;
}
