import { Flags } from "@oclif/core";
import { confirmInTerminal } from "../chat/questions/ask-in-terminal.js";
import { changesText } from "../chat/print-changes.js";
import { BaseCommand } from "../host/command-line/base-command.js";
import { openUndo } from "../host/conversations/undo-conversation.js";
import { typedArgument } from "../host/command-line/typed-argument.js";

export default class Undo extends BaseCommand {
    static override summary = "Put files back as they were before the last edits.";
    static override description =
        "Takes back what a conversation's edits changed, byte for byte, and asks before it writes. " +
        "A file that somebody has changed since is left alone, and then all others are too. " +
        "Once more does it again. What commands did is not taken back.";
    static override enableJsonFlag = true;
    static override examples = [
        {
            command: "<%= config.bin %> undo",
            description: "The newest conversation of this repository.",
        },
        {
            command: "<%= config.bin %> undo 3fa2c1 --turns 2",
            description: "The last two turns of one conversation.",
        },
        { command: "<%= config.bin %> undo --force", description: "In a script." },
    ];
    static override args = {
        id: typedArgument({ description: "Six hex digits; `north conversations` lists them." }),
    };
    static override flags = {
        turns: Flags.integer({
            description: "Take back so many of the last turns whose edits are in effect.",
            min: 1,
            helpValue: "N",
        }),
        force: Flags.boolean({ char: "f", description: "Do not ask." }),
        path: Flags.string({
            description: "Where the repository is, if not where the conversation was held.",
            helpValue: "DIR",
        }),
    };

    async run(): Promise<unknown> {
        const { args, flags } = await this.parse(Undo);
        const { turns, path, force } = flags;
        const request = { id: args.id, turns, path, folder: process.cwd() };
        const undo = await openUndo(this.directories.data, request);
        try {
            const { changeSet, isRedo } = undo.planned;
            const { stdin: input, stdout: output } = process;
            this.log(await changesText(changeSet, output, process.env));
            const question = isRedo ? "Do these changes again?" : "Take these changes back?";
            const isWanted = force || (await confirmInTerminal(question, { input, output }));
            if (isWanted) await undo.planned.apply();
            this.log(isWanted ? "Done. `north undo` once more reverses it." : "Nothing changed.");
            const files = changeSet.changes.map(({ path }) => path);
            return { id: undo.id, root: undo.root, applied: isWanted, isRedo, files };
        } finally {
            await undo.close();
        }
    }
}
