import { BaseCommand } from "../host/command-line/base-command.js";
import { listMarkdownCommands, markdownCommandTable } from "../host/operations/tool-list.js";

export default class Commands extends BaseCommand {
    static override summary = "List the slash commands defined in Markdown files.";
    static override examples = ["north commands", "north commands --json"];

    async run(): Promise<unknown> {
        await this.parse(Commands);
        const commands = await listMarkdownCommands(this.config);
        this.log(markdownCommandTable(commands));
        return { commands };
    }
}
