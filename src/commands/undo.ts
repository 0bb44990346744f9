import { Flags } from "@oclif/core";
import { BaseCommand } from "../host/command-line/base-command.js";
import { applyConfirmed } from "../host/conversations/apply-confirmed.js";
import { prepareUndo } from "../host/conversations/undo-changes.js";
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
        const request = { id: args.id, path, folder: process.cwd() };
        const undo = await openUndo(this.directories.data, request, (place, entries) =>
            prepareUndo(place, entries, turns)
        );
        try {
            const { changeSet, isRedo } = undo.planned;
            const question = isRedo ? "Redo these changes?" : "Undo these changes?";
            const isWanted = await applyConfirmed(undo.planned, question, {
                force,
                print: (text) => this.logStyled(text),
            });
            this.log(isWanted ? "Done. Run `north undo` again to reverse it." : "Nothing changed.");
            const files = changeSet.changes.map(({ path }) => path);
            return { id: undo.id, root: undo.root, applied: isWanted, isRedo, files };
        } finally {
            await undo.close();
        }
    }
}
