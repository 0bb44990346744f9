import { Flags } from "@oclif/core";
import { confirmInTerminal } from "../../chat/questions/ask-in-terminal.js";
import { BaseCommand } from "../../host/command-line/base-command.js";
import {
    deleteConversation,
    describeConversation,
} from "../../host/conversations/conversation-list.js";
import { typedArgument } from "../../host/command-line/typed-argument.js";

export default class ConversationsDelete extends BaseCommand {
    static override summary = "Delete a conversation for good; asks first.";
    static override description =
        "Its log is deleted, and what files held before its edits unless that is less than an hour old; " +
        "the repository and the costs stay as they are. A conversation that is open is not deleted.";
    static override enableJsonFlag = true;
    static override examples = [
        "<%= config.bin %> conversations delete 3fa2c1",
        "<%= config.bin %> conversations delete 3fa2c1 --force",
    ];
    static override args = {
        id: typedArgument({
            required: true,
            description: "Conversation ID, see `north conversations`.",
        }),
    };
    static override flags = {
        force: Flags.boolean({ char: "f", description: "Do not ask." }),
    };

    async run(): Promise<unknown> {
        const { args, flags } = await this.parse(ConversationsDelete);
        const { data } = this.directories;
        const what = await describeConversation(data, args.id);
        const { stdin: input, stdout: output } = process;
        const isWanted =
            flags.force || (await confirmInTerminal(`Delete ${what} for good?`, { input, output }));
        if (isWanted) await deleteConversation(data, args.id);
        this.log(isWanted ? `Deleted: ${args.id}` : "Nothing was deleted.");
        return { id: args.id, deleted: isWanted };
    }
}
