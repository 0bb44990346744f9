import { BaseCommand } from "../host/command-line/base-command.js";
import { chatFlags } from "../host/command-line/chat-flags.js";
import { runConversation } from "../host/run-conversation.js";
import { typedArgument } from "../host/command-line/typed-argument.js";

export default class Chat extends BaseCommand {
    static override summary = "Work on this repository with a model.";
    static override description =
        "Opens the chat, or with --print answers one prompt. `north` alone means `north chat`.";
    static override examples = [
        { command: "<%= config.bin %>", description: "Open the chat." },
        {
            command: '<%= config.bin %> -p "Where is the retry logic?"',
            description: "Answer one question and leave.",
        },
        {
            command: "$ git diff | <%= config.bin %> -p 'Review this' --mode ask",
            description: "Read from a pipe; change nothing.",
        },
        {
            command: "<%= config.bin %> -p 'Fix the failing test' --accept-edits --approve-shell",
            description: "Let it edit and run commands without asking, in this run only.",
        },
    ];
    static override args = {
        prompt: typedArgument({ description: "What to begin with." }),
    };
    static override flags = chatFlags;

    async run(): Promise<void> {
        const { args, flags } = await this.parse(Chat);
        process.exitCode = await runConversation({
            flags,
            config: this.config,
            directories: this.directories,
            environment: process.env,
            ...(args.prompt === undefined ? {} : { prompt: args.prompt }),
        });
    }
}
