import { Flags } from "@oclif/core";
import { confirmInTerminal } from "../../chat/questions/ask-in-terminal.js";
import { BaseCommand } from "../../host/command-line/base-command.js";
import {
    deleteConversation,
    describeConversation,
} from "../../host/conversations/conversation-list.js";
import { conversationArgument } from "../../host/command-line/flags.js";

export default class ConversationsDelete extends BaseCommand {
    static override summary = "Delete a conversation permanently.";
    static override description =
        "Deletes its log, and the stored contents from before its edits unless they are less than an hour old. " +
        "The repository and the costs do not change. An open conversation cannot be deleted.";
    static override examples = [
        "north conversations delete 3fa2c1",
        "north conversations delete 3fa2c1 --force",
    ];
    static override args = { id: conversationArgument({ required: true }) };
    static override flags = {
        force: Flags.boolean({ char: "f", description: "Skip the confirmation." }),
    };

    async run(): Promise<unknown> {
        const { args, flags } = await this.parse(ConversationsDelete);
        const { data } = this.directories;
        const what = await describeConversation(data, args.id);
        const isWanted = flags.force || (await confirmInTerminal(`Permanently delete ${what}?`));
        if (isWanted) await deleteConversation(data, args.id);
        this.log(isWanted ? `Deleted: ${args.id}` : "Nothing deleted.");
        return { id: args.id, deleted: isWanted };
    }
}
