import { northCommand } from "../base/north-command.js";
import { Flags } from "@oclif/core";
import { BaseCommand } from "../host/command-line/base-command.js";
import { applyConfirmed, withUndoHost } from "../host/operations/undo-conversation.js";
import { prepareUndo } from "../host/operations/undo-changes.js";
import { newestConversationArgument, movedPathFlag } from "../host/command-line/flags.js";

export default class Undo extends BaseCommand {
    static override summary = "Undo the last edits.";
    static override description =
        "Shows the changes, asks, and restores the files byte for byte. " +
        "Undoes nothing if one of the files has changed since. " +
        "Run it again to redo. Also undoes what contained commands changed, but not what a command did for real.";
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
    static override args = { id: newestConversationArgument() };
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
        return withUndoHost(this.directories.data, { id: args.id, path }, async (host) => {
            const { id, root, conversation } = host;
            const undo = await prepareUndo(host, conversation.state.entries, turns);
            const { changeSet, isRedo, isDrafted, notUndone = [] } = undo;
            const place = isDrafted ? " in the draft" : "";
            const question = `${isRedo ? "Redo" : "Undo"} these changes${place}`;
            const applied = await applyConfirmed(undo, question, this.asking(force));
            this.log(
                applied
                    ? `Done. Run \`${northCommand()} undo\` again to reverse it.`
                    : "Nothing changed."
            );
            if (applied && notUndone.length > 0) this.log(notUndone.join(" "));
            return { id, root, applied, isRedo, files: changeSet.changes.map(({ path }) => path) };
        });
    }
}
