import { conversationText } from "../../chat/printed-text.js";
import { BaseCommand } from "../../host/command-line/base-command.js";
import { conversationTree } from "../../host/conversations/nested-runs.js";
import { conversationArgument } from "../../host/command-line/flags.js";

export default class ConversationsShow extends BaseCommand {
    static override summary = "Show what was said and done in a conversation, and its nested runs.";
    static override examples = [
        "north conversations show 3fa2c1",
        "north conversations show 3fa2c1 | less",
        "north conversations show 3fa2c1 --json",
    ];
    static override args = { id: conversationArgument({ required: true }) };

    async run(): Promise<unknown> {
        const { args } = await this.parse(ConversationsShow);
        const tree = await conversationTree(this.directories, args.id);
        for (const warning of tree.warnings) this.logToStderr(warning);
        const text = await conversationText(args.id, tree.conversation.entries);
        this.logStyled([...tree.before, text, ...tree.after].join("\n"));
        return tree.exported;
    }
}
