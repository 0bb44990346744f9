import { Flags } from "@oclif/core";
import { withSpinner } from "../chat/terminal/spinner.js";
import { BaseCommand } from "../host/command-line/base-command.js";
import { typedArgument } from "../host/command-line/flags.js";
import { hitTable, searchConversations } from "../host/conversations/search-conversations.js";

export default class Search extends BaseCommand {
    static override summary = "Search the conversations of all projects.";
    static override examples = ["north search retry-after", 'north search "lock file" --json'];
    static override args = {
        text: typedArgument({ description: "Text to find, ignoring case.", required: true }),
    };
    static override flags = {
        limit: Flags.integer({
            description: "Maximum number of matches to list.",
            helpValue: "N",
            min: 1,
            default: 50,
        }),
    };

    async run(): Promise<unknown> {
        const { args, flags } = await this.parse(Search);
        const found = await withSpinner("Searching conversations", () =>
            searchConversations(this.directories.data, args.text, flags.limit)
        );
        this.log(hitTable(found));
        return found;
    }
}
