import type { AllowedCommand, SlashCommand, SlashContext } from "../../plugin/index.js";
import { startingWith, unquote, wrongUsage } from "./wording.js";

export const allowlist: SlashCommand = {
    name: "allowlist",
    description: "List the commands and hosts allowed without asking, or remove one.",
    usage: "/allowlist [remove COMMAND]",
    complete: (argument) => startingWith(argument, ["remove"]),
    async run(argumentsText, context) {
        const removal = /^remove\s+(\S.*)$/s.exec(argumentsText.trim())?.[1];
        if (removal !== undefined) return remove(unquote(removal), context);
        if (argumentsText.trim() !== "") throw wrongUsage(allowlist);
        const { approvals } = context.permissions;
        const allowed = await approvals.allowedCommands();
        const keys = await approvals.allowedKeys();
        const commands =
            allowed.length === 0
                ? ["No commands are on this project's allowlist."]
                : ["These run without asking in this project:", ...allowed.map(lineOf)];
        const permissions =
            keys.length === 0 ? [] : ["Also allowed:", ...keys.map((key) => `  ${key}`)];
        context.screen.print([...commands, ...permissions].join("\n"));
    },
};

/** Removes a command in every folder where it is allowed. */
async function remove(command: string, context: SlashContext): Promise<void> {
    const { approvals } = context.permissions;
    const allowed = await approvals.allowedCommands();
    const meant = allowed.filter((entry) => entry.command === command);
    for (const entry of meant) await approvals.removeCommand(entry);
    if (meant.length === 0 && (await approvals.allowedKeys()).includes(command)) {
        await approvals.removeKey(command);
        return context.screen.print(`North will ask again: ${command}`);
    }
    context.screen.print(
        meant.length === 0
            ? `Not on the allowlist: ${command}`
            : ["North will ask again before running:", ...meant.map(lineOf)].join("\n")
    );
}

function lineOf({ command, cwd }: AllowedCommand): string {
    return cwd === "" ? `  ${command}` : `  ${command}  (in ${cwd})`;
}
