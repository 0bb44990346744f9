import { Flags } from "@oclif/core";
import { BaseCommand } from "../../host/command-line/base-command.js";
import { conversationArgument, movedPathFlag } from "../../host/command-line/flags.js";
import { openDraftOf } from "../../host/operations/open-drafts.js";
import { applyConfirmed } from "../../host/operations/undo-conversation.js";

export default class DraftApply extends BaseCommand {
    static override summary = "Apply a draft to the project.";
    static override description =
        "Merges it with changes made since, shows the result and asks. Writes all of it or nothing; " +
        "`north undo` reverses it.";
    static override examples = [
        "<%= config.bin %> draft apply 3fa2c1",
        "<%= config.bin %> draft apply 3fa2c1 --force --json",
    ];
    static override args = { id: conversationArgument({ required: true }) };
    static override flags = {
        force: Flags.boolean({ char: "f", description: "Skip the confirmation." }),
        path: movedPathFlag(),
    };

    async run(): Promise<unknown> {
        const { args, flags } = await this.parse(DraftApply);
        const draft = await openDraftOf(this.directories.data, args.id, flags.path);
        const { id, planned } = draft;
        try {
            const { conflicts, merged, line } = planned;
            if (conflicts.length > 0) {
                this.log("The project changed on the same lines. Nothing was written.");
                for (const { text } of conflicts) this.log(text);
                process.exitCode = 1;
                return { id, applied: false, conflicts };
            }
            if (merged.length > 0) {
                this.log(`Merged with changes made since: ${merged.join(", ")}.`);
            }
            const apply = {
                changeSet: planned.changeSet,
                apply: async () => void (await planned.apply()),
            };
            const applied = await applyConfirmed(apply, `Apply this draft (${line})?`, {
                force: flags.force,
                print: (text) => this.logStyled(text),
            });
            this.log(applied ? "Done. `north undo` reverses it." : "Nothing changed.");
            const files = planned.changeSet.changes.map(({ path }) => path);
            return { id, applied, files, merged };
        } finally {
            await draft.close();
        }
    }
}
