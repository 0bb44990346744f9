import { BaseCommand } from "../host/command-line/base-command.js";
import { fishCompletion } from "../host/command-line/fish-completion.js";
import { typedArgument } from "../host/command-line/typed-argument.js";
import { NorthError } from "../base/north-error.js";

export default class Completion extends BaseCommand {
    static override summary = "Print a script that completes commands in fish.";
    static override description =
        "It completes commands, flags and their values, those of installed plugins too. For bash and zsh see `north autocomplete`.";
    static override examples = [
        {
            description: "Complete in every fish from now on.",
            command: "<%= config.bin %> completion fish > ~/.config/fish/completions/north.fish",
        },
    ];
    static override args = {
        shell: typedArgument({ description: "The shell: fish.", required: true }),
    };

    async run(): Promise<void> {
        const { shell } = (await this.parse(Completion)).args;
        if (shell !== "fish") {
            throw new NorthError("invalid-usage", `There is no script for ${shell} here.`, [
                "`north autocomplete bash` and `north autocomplete zsh` tell how to set up these.",
            ]);
        }
        this.log(fishCompletion(this.config).trimEnd());
    }
}
