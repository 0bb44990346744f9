import { fitRow } from "../chat/render/rows.js";
import { BaseCommand } from "../host/command-line/base-command.js";
import { newestConversationArgument, pathFlag } from "../host/command-line/flags.js";
import { newestConversation } from "../host/conversations/conversation-list.js";
import { storedChanges } from "../host/operations/turn-list.js";

export default class Turns extends BaseCommand {
    static override summary = "List the turns of a conversation that changed files.";
    static override examples = ["north turns", "north turns 3fa2c1 --json"];
    static override args = { id: newestConversationArgument() };
    static override flags = { path: pathFlag() };

    async run(): Promise<unknown> {
        const { args, flags } = await this.parse(Turns);
        const { data } = this.directories;
        const id = args.id ?? (await newestConversation(data, flags.path));
        const { turns, warnings } = await storedChanges(data, id);
        for (const warning of warnings) this.logToStderr(warning);
        const { isTTY, columns } = process.stdout;
        const rows = turns.map(({ line }) => (isTTY ? fitRow(line, columns) : line));
        this.log(
            rows.length > 0
                ? [`Conversation ${id}`, ...rows].join("\n")
                : `No turn of conversation ${id} has changed a file.`
        );
        return { id, turns };
    }
}
