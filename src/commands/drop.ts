import { Flags } from "@oclif/core";
import { BaseCommand } from "../host/command-line/base-command.js";
import { movedPathFlag, turnArgument, typedArgument } from "../host/command-line/flags.js";
import { applyConfirmed, openUndo } from "../host/operations/undo-conversation.js";
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
        id: typedArgument({ required: true, description: "Conversation ID; see `north turns`." }),
        turn: turnArgument({ required: true }),
    };
    static override flags = {
        force: Flags.boolean({ char: "f", description: "Skip the confirmation." }),
        path: movedPathFlag(),
    };

    async run(): Promise<unknown> {
        const { args, flags } = await this.parse(Drop);
        const request = { id: args.id, path: flags.path, folder: process.cwd() };
        const drop = await openUndo(this.directories.data, request, (host, entries) =>
            prepareDrop(host, entries, args.turn)
        );
        const { id, root, planned } = drop;
        try {
            if (planned.kind === "conflicts") {
                const { conflicts } = planned;
                this.log("Later work changed the same lines. Nothing was written.");
                for (const { text } of conflicts) this.log(text);
                process.exitCode = 1;
                return { id, root, turn: args.turn, applied: false, conflicts };
            }
            const isWanted = await applyConfirmed(planned.planned, "Drop these edits", {
                force: flags.force,
                print: (text) => this.logStyled(text),
            });
            this.log(isWanted ? "Done. `north undo` reverses it." : "Nothing changed.");
            const files = planned.planned.changeSet.changes.map(({ path }) => path);
            return { id, root, turn: args.turn, applied: isWanted, files };
        } finally {
            await drop.close();
        }
    }
}
