import { BaseCommand } from "../host/command-line/base-command.js";
import { pathFlag } from "../host/command-line/flags.js";
import { liveSessions, whoText } from "../host/history/who.js";

export default class Who extends BaseCommand {
    static override summary = "List the open sessions of this project.";
    static override description =
        "Shows the conversation, model and turn of each, and the files it has changed. A session locks nothing.";
    static override examples = ["<%= config.bin %> who", "<%= config.bin %> who --json"];
    static override flags = { path: pathFlag() };

    async run(): Promise<unknown> {
        const { flags } = await this.parse(Who);
        const sessions = await liveSessions(this.directories.data, flags.path);
        this.log(whoText(sessions));
        return { sessions };
    }
}
