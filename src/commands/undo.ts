import { Flags } from "@oclif/core";
import { confirmChangesInTerminal } from "../chat/questions/ask-in-terminal.js";
import { changesText } from "../chat/print-changes.js";
import { BaseCommand } from "../host/command-line/base-command.js";
import { openUndo } from "../host/conversations/undo-conversation.js";
import { typedArgument } from "../host/command-line/typed-argument.js";

export default class Undo extends BaseCommand {
    static override summary = "Undo the last edits.";
    static override description =
        "Shows what a conversation's edits changed, asks, and restores it byte for byte. " +
        "If one of the files has changed since, nothing is undone. " +
        "Run it again to redo. Effects of shell commands are not undone.";
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
        id: typedArgument({ description: "Conversation ID, see `north conversations`." }),
    };
    static override flags = {
        turns: Flags.integer({
            description: "Undo the edits of the last N turns.",
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
            const question = isRedo ? "Redo these changes?" : "Undo these changes?";
            if (force) this.logStyled(await changesText(changeSet, output, process.env));
            const isWanted =
                force || (await confirmChangesInTerminal(question, changeSet, { input, output }));
            if (isWanted) await undo.planned.apply();
            this.log(isWanted ? "Done. Run `north undo` again to reverse it." : "Nothing changed.");
            const files = changeSet.changes.map(({ path }) => path);
            return { id: undo.id, root: undo.root, applied: isWanted, isRedo, files };
        } finally {
            await undo.close();
        }
    }
}
