import { BaseCommand } from "../../host/command-line/base-command.js";
import { pathFlag } from "../../host/command-line/flags.js";
import { draftsText, openDrafts } from "../../host/operations/open-drafts.js";

export default class DraftList extends BaseCommand {
    static override summary = "List this project's open drafts.";
    static override description = "A draft has the ID of its conversation.";
    static override examples = ["north draft list", "north draft list --json"];
    static override flags = { path: pathFlag() };

    async run(): Promise<unknown> {
        const { flags } = await this.parse(DraftList);
        const drafts = await openDrafts(this.directories.data, flags.path);
        this.log(draftsText(drafts));
        return { drafts };
    }
}
