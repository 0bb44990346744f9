import { northCommand } from "../base/north-command.js";
import { Flags } from "@oclif/core";
import { BaseCommand } from "../host/command-line/base-command.js";
import { conversationArgument, movedPathFlag, turnArgument } from "../host/command-line/flags.js";
import { applyConfirmed, withUndoHost } from "../host/operations/undo-conversation.js";
import { prepareDrop } from "../host/operations/drop-turn.js";

export default class Drop extends BaseCommand {
    static override summary = "Undo the edits of one turn and keep later ones.";
    static override description =
        "Merges line by line, shows the result and asks. If later work changed the same lines, " +
        "shows the conflicts and writes nothing. `north undo` reverses it.";
    static override examples = [
        "north turns",
        "north drop 3fa2c1 4",
        "north drop 3fa2c1 4 --force --json",
    ];
    static override args = {
        id: conversationArgument({ required: true }),
        turn: turnArgument({ required: true }),
    };
    static override flags = {
        force: Flags.boolean({ char: "f", description: "Skip the confirmation." }),
        path: movedPathFlag(),
    };

    async run(): Promise<unknown> {
        const { args, flags } = await this.parse(Drop);
        const request = { id: args.id, path: flags.path };
        return withUndoHost(this.directories.data, request, async (host) => {
            const { id, root, conversation } = host;
            const end = { id, root, turn: args.turn };
            const drop = await prepareDrop(host, conversation.state.entries, args.turn);
            if (drop.kind === "conflicts") {
                const { conflicts } = drop;
                this.log("Later work changed the same lines. Nothing was written.");
                for (const { text } of conflicts) this.log(text);
                process.exitCode = 1;
                return { ...end, applied: false, conflicts };
            }
            const { planned } = drop;
            const asking = this.asking(flags.force);
            const applied = await applyConfirmed(planned, "Drop these edits", asking);
            this.log(
                applied ? `Done. \`${northCommand()} undo\` reverses it.` : "Nothing changed."
            );
            return { ...end, applied, files: planned.changeSet.changes.map(({ path }) => path) };
        });
    }
}
