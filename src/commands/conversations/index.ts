import { Flags } from "@oclif/core";
import { BaseCommand } from "../../host/command-line/base-command.js";
import {
    conversationTable,
    listConversations,
} from "../../host/conversations/conversation-list.js";
import { listNestedRuns } from "../../host/conversations/nested-runs.js";

export default class Conversations extends BaseCommand {
    static override summary = "List the conversations of all projects, newest first.";
    static override aliases = ["list"];
    static override examples = [
        "north conversations",
        "north conversations show 3fa2c1",
        "north conversations export 3fa2c1 -o conversation.md",
        "north conversations delete 3fa2c1",
        "north conversations --json",
    ];

    static override flags = {
        nested: Flags.boolean({
            description: "List the nested runs of sub-agents and of `north learn` instead.",
        }),
    };

    async run(): Promise<unknown> {
        const { flags } = await this.parse(Conversations);
        const { data } = this.directories;
        const conversations = await (flags.nested ? listNestedRuns(data) : listConversations(data));
        if (!this.jsonEnabled()) this.log(conversationTable(conversations));
        return { conversations };
    }
}
