import { northCommand } from "../../base/north-command.js";
import { BaseCommand } from "../../host/command-line/base-command.js";
import { conversationArgument, movedPathFlag } from "../../host/command-line/flags.js";
import { discardDraftOf } from "../../host/operations/open-drafts.js";

export default class DraftDiscard extends BaseCommand {
    static override summary = "Discard a draft; the project stays as it is.";
    static override description = "`north undo ID` brings it back.";
    static override examples = ["north draft discard 3fa2c1"];
    static override args = { id: conversationArgument({ required: true }) };
    static override flags = { path: movedPathFlag() };

    async run(): Promise<unknown> {
        const { args, flags } = await this.parse(DraftDiscard);
        const end = await discardDraftOf(this.directories.data, args.id, flags.path);
        this.log(`Discarded. \`${northCommand()} undo ${end.id}\` brings it back.`);
        return end;
    }
}
