import { conversationText } from "../../chat/print-exchanges.js";
import { BaseCommand } from "../../host/command-line/base-command.js";
import { exportedConversation } from "../../host/conversations/exported-conversation.js";
import { storedConversation } from "../../host/conversations/stored-conversation.js";
import { typedArgument } from "../../host/command-line/typed-argument.js";

export default class ConversationsShow extends BaseCommand {
    static override summary = "Show what was said and done in a conversation.";
    static override enableJsonFlag = true;
    static override examples = [
        "<%= config.bin %> conversations show 3fa2c1",
        "<%= config.bin %> conversations show 3fa2c1 | less",
        "<%= config.bin %> conversations show 3fa2c1 --json",
    ];
    static override args = {
        id: typedArgument({
            required: true,
            description: "Conversation ID, see `north conversations`.",
        }),
    };

    async run(): Promise<unknown> {
        const { args } = await this.parse(ConversationsShow);
        const { conversation, warnings } = await storedConversation(this.directories.data, args.id);
        for (const warning of warnings) this.logToStderr(warning);
        const { stdout, env } = process;
        this.logStyled(await conversationText(args.id, conversation.entries, stdout, env));
        return exportedConversation(conversation);
    }
}
