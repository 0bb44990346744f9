import { BaseCommand } from "../../host/command-line/base-command.js";
import { pathFlag } from "../../host/command-line/flags.js";
import { suggestedCommands, suggestionsText } from "../../host/operations/past-commands.js";

export default class AllowlistSuggest extends BaseCommand {
    static override summary =
        "Suggest commands that you have approved by hand at least three times.";
    static override description =
        "Reads the logs of this project's conversations. Only lists the commands.";
    static override examples = ["north allowlist suggest", "north allowlist suggest --json"];
    static override flags = { path: pathFlag() };

    async run(): Promise<unknown> {
        const { flags } = await this.parse(AllowlistSuggest);
        const suggestions = await suggestedCommands(this.directories.data, flags.path);
        this.log(suggestionsText(suggestions));
        return { suggestions };
    }
}
