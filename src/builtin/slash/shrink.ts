import type { SlashCommand } from "../../plugin/index.js";
import { confirmAndApply } from "./confirm-and-apply.js";
import { lastFlags, wrongUsage } from "./wording.js";

export const shrink: SlashCommand = {
    name: "shrink",
    description: "Find the hunks of the draft, or a turn, that a command does not need.",
    usage: "/shrink [CMD] [--turn N]",
    async run(argumentsText, context) {
        const { screen, changes, session } = context;
        const { text, flags } = lastFlags(argumentsText, ["turn"]);
        const command = text || session.until.current()?.command;
        if (command === undefined) {
            throw wrongUsage(shrink, "Name the command that must pass, or set it with /until.");
        }
        const turn = flags.turn === undefined ? undefined : Number(flags.turn);
        if (turn !== undefined && !(turn >= 1)) throw wrongUsage(shrink);
        const shrunk = await screen.during(`Shrinking by \`${command}\``, (signal, progress) =>
            changes.planShrink({ command, turn, signal, progress })
        );
        if (!shrunk) return;
        const { planned, question } = shrunk;
        screen.printVerbatim(shrunk.text);
        if (!planned) return;
        if (!(await confirmAndApply(screen, question, planned))) return;
        screen.print("Done. /undo reverses it.");
    },
};
