import { Flags } from "@oclif/core";
import { BaseCommand } from "../host/command-line/base-command.js";
import { applyConfirmed, openUndo } from "../host/operations/undo-conversation.js";
import { prepareUndo } from "../host/operations/undo-changes.js";
import { conversationArgument, movedPathFlag } from "../host/command-line/flags.js";

export default class Undo extends BaseCommand {
    static override summary = "Undo the last edits.";
    static override description =
        "Shows the changes, asks, and restores the files byte for byte. " +
        "Undoes nothing if one of the files has changed since. " +
        "Run it again to redo. Takes back what contained commands changed, too, but not what a command did for real.";
    static override examples = [
        {
            command: "north undo",
            description: "Undo in the newest conversation of this repository.",
        },
        {
            command: "north undo 3fa2c1 --turns 2",
            description: "Undo the last two turns of one conversation.",
        },
        { command: "north undo --force", description: "Undo without a confirmation, for scripts." },
    ];
    static override args = { id: conversationArgument() };
    static override flags = {
        turns: Flags.integer({
            description: "Undo the edits of the last N turns.",
            min: 1,
            helpValue: "N",
        }),
        force: Flags.boolean({ char: "f", description: "Skip the confirmation." }),
        path: movedPathFlag(),
    };

    async run(): Promise<unknown> {
        const { args, flags } = await this.parse(Undo);
        const { turns, path, force } = flags;
        const request = { id: args.id, path, folder: process.cwd() };
        const undo = await openUndo(this.directories.data, request, (host, entries) =>
            prepareUndo(host, entries, turns)
        );
        try {
            const { changeSet, isRedo, isDrafted, notUndone = [] } = undo.planned;
            const place = isDrafted ? " in the draft" : "";
            const question = `${isRedo ? "Redo" : "Undo"} these changes${place}`;
            const isWanted = await applyConfirmed(undo.planned, question, {
                force,
                print: (text) => this.logStyled(text),
            });
            this.log(isWanted ? "Done. Run `north undo` again to reverse it." : "Nothing changed.");
            if (isWanted && notUndone.length > 0) {
                this.log(notUndone.join(" "));
            }
            const files = changeSet.changes.map(({ path }) => path);
            return { id: undo.id, root: undo.root, applied: isWanted, isRedo, files };
        } finally {
            await undo.close();
        }
    }
}
