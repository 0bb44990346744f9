import { BaseCommand } from "../host/command-line/base-command.js";
import { fishCompletion } from "../host/command-line/fish-completion.js";
import { typedArgument } from "../host/command-line/flags.js";
import { NorthError } from "../base/north-error.js";

export default class Completion extends BaseCommand {
    static override summary = "Print the completion script for fish.";
    static override enableJsonFlag = false;
    static override description =
        "Completes commands, flags and their values, including those of plugins. For bash and zsh see `north autocomplete`.";
    static override examples = [
        {
            description: "Install completion for fish.",
            command: "<%= config.bin %> completion fish > ~/.config/fish/completions/north.fish",
        },
    ];
    static override args = {
        shell: typedArgument({ description: "The only one is fish.", required: true }),
    };

    async run(): Promise<void> {
        const { shell } = (await this.parse(Completion)).args;
        if (shell !== "fish") {
            throw new NorthError("invalid-usage", `No completion script for ${shell}.`, [
                "`north autocomplete bash` and `north autocomplete zsh` set up those shells.",
            ]);
        }
        this.log(fishCompletion(this.config).trimEnd());
    }
}
