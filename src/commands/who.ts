import { BaseCommand } from "../host/command-line/base-command.js";
import { pathFlag } from "../host/command-line/path-flag.js";
import { liveSessions, whoText } from "../host/history/who.js";

export default class Who extends BaseCommand {
    static override summary = "Show the sessions that are open in this project.";
    static override description =
        "Each with its conversation, model and turn, and the files that it has changed. Nothing is locked by a session.";
    static override enableJsonFlag = true;
    static override examples = ["<%= config.bin %> who", "<%= config.bin %> who --json"];
    static override flags = { path: pathFlag() };

    async run(): Promise<unknown> {
        const { flags } = await this.parse(Who);
        const sessions = await liveSessions(this.directories.data, flags.path);
        this.log(whoText(sessions));
        return { sessions };
    }
}
