import { BaseCommand } from "../host/command-line/base-command.js";
import { bashCompletion } from "../host/command-line/bash-completion.js";
import { fishCompletion } from "../host/command-line/fish-completion.js";
import { typedArgument } from "../host/command-line/flags.js";
import { NorthError } from "../base/north-error.js";

const SCRIPTS = new Map([
    ["bash", bashCompletion],
    ["zsh", bashCompletion],
    ["fish", fishCompletion],
]);

export default class Completion extends BaseCommand {
    static override summary = "Print the completion script for bash, zsh or fish.";
    static override enableJsonFlag = false;
    static override description =
        "Completes commands, flags and their values, including those of plugins. After you install a plugin, open a new shell, or in fish run it again.";
    static override examples = [
        {
            description: "Completion for bash: add this line to ~/.bashrc.",
            command: 'eval "$(north completion bash)"',
        },
        {
            description: "Completion for zsh: add this line to ~/.zshrc, after compinit.",
            command: 'eval "$(north completion zsh)"',
        },
        {
            description: "Completion for fish.",
            command: "north completion fish > ~/.config/fish/completions/north.fish",
        },
    ];
    static override args = {
        shell: typedArgument({ description: "bash, zsh or fish.", required: true }),
    };

    async run(): Promise<void> {
        const { shell } = (await this.parse(Completion)).args;
        const script = SCRIPTS.get(shell);
        if (!script) {
            throw new NorthError("invalid-usage", `There is no completion script for ${shell}.`, [
                "Choose bash, zsh or fish.",
            ]);
        }
        this.log(script(this.config).trimEnd());
    }
}
