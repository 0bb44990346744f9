import { BaseCommand } from "../host/command-line/base-command.js";
import { pathFlag } from "../host/command-line/flags.js";
import { liveSessions, whoText } from "../host/operations/live-sessions.js";

export default class Who extends BaseCommand {
    static override summary = "List the sessions open in this project.";
    static override description =
        "Shows each session's conversation, model and turn, and the files it has changed. Sessions do not lock files.";
    static override examples = ["north who", "north who --json"];
    static override flags = { path: pathFlag() };

    async run(): Promise<unknown> {
        const { flags } = await this.parse(Who);
        const sessions = await liveSessions(this.directories.data, flags.path);
        this.log(whoText(sessions));
        return { sessions };
    }
}
