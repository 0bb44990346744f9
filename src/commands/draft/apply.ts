import { Flags } from "@oclif/core";
import { BaseCommand } from "../../host/command-line/base-command.js";
import { conversationArgument, movedPathFlag } from "../../host/command-line/flags.js";
import { applyDraftConfirmed } from "../../host/operations/open-drafts.js";
import { confirmIn } from "../../host/operations/undo-conversation.js";

export default class DraftApply extends BaseCommand {
    static override summary = "Apply a draft to the project.";
    static override description =
        "Merges it with changes made since, shows the result and asks. Writes all of it or nothing; " +
        "`north undo` reverses it.";
    static override examples = [
        "north draft apply 3fa2c1",
        "north draft apply 3fa2c1 --force --json",
    ];
    static override args = { id: conversationArgument({ required: true }) };
    static override flags = {
        force: Flags.boolean({ char: "f", description: "Skip the confirmation." }),
        path: movedPathFlag(),
    };

    async run(): Promise<unknown> {
        const { args, flags } = await this.parse(DraftApply);
        const draft = { id: args.id, path: flags.path };
        const end = await applyDraftConfirmed(this.directories.data, draft, {
            confirm: confirmIn(this.asking(flags.force)),
            log: (text) => this.log(text),
        });
        if ("conflicts" in end) process.exitCode = 1;
        return end;
    }
}
