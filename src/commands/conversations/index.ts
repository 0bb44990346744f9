import { BaseCommand } from "../../host/command-line/base-command.js";
import {
    conversationTable,
    listConversations,
} from "../../host/conversations/conversation-list.js";

export default class Conversations extends BaseCommand {
    static override summary = "List the conversations of all projects, newest first.";
    static override aliases = ["list"];
    static override enableJsonFlag = true;
    static override examples = [
        "<%= config.bin %> conversations",
        "<%= config.bin %> conversations show 3fa2c1",
        "<%= config.bin %> conversations export 3fa2c1 -o conversation.md",
        "<%= config.bin %> conversations delete 3fa2c1",
        "<%= config.bin %> conversations --json",
    ];

    async run(): Promise<unknown> {
        await this.parse(Conversations);
        const conversations = await listConversations(this.directories.data);
        this.log(conversationTable(conversations));
        return { conversations };
    }
}
