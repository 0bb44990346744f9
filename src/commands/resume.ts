import { Flags } from "@oclif/core";
import { BaseCommand } from "../host/command-line/base-command.js";
import { chatFlags, inWorktree } from "../host/command-line/chat-flags.js";
import { newestConversation } from "../host/conversations/find-conversation.js";
import { runConversation } from "../host/run-conversation.js";
import { typedArgument } from "../host/command-line/typed-argument.js";

export default class Resume extends BaseCommand {
    static override summary = "Resume an earlier conversation.";
    static override description =
        "Continues in the conversation's own repository, or where --path says. " +
        "Without an ID, a terminal shows a list to choose from.";
    static override examples = [
        { command: "<%= config.bin %> resume", description: "Choose one from a list." },
        { command: "<%= config.bin %> resume 3fa2c1", description: "Resume it in the chat." },
        {
            command: "<%= config.bin %> resume --last -p 'Go on'",
            description: "The newest conversation of this repository, in print mode.",
        },
        {
            command: "<%= config.bin %> resume 3fa2c1 --path ~/moved/project",
            description: "The repository is somewhere else now.",
        },
    ];
    static override args = {
        id: typedArgument({ description: "Conversation ID, see `north conversations`." }),
        prompt: typedArgument({ description: "Next message." }),
    };
    static override flags = {
        ...chatFlags,
        last: Flags.boolean({ description: "The newest conversation of this repository." }),
    };

    async run(): Promise<void> {
        const { args, flags: given } = await this.parse(Resume);
        const flags = await inWorktree(given);
        // With --last there is no id, so that the first argument is the prompt.
        const [id, prompt] = flags.last ? [undefined, args.id] : [args.id, args.prompt];
        const resume = id ?? (await this.choose(flags));
        if (resume === undefined) return this.exit(130);
        process.exitCode = await runConversation({
            flags,
            resume,
            config: this.config,
            directories: this.directories,
            environment: process.env,
            ...(prompt === undefined ? {} : { prompt }),
        });
    }

    private async choose(flags: { last: boolean; path?: string }): Promise<string | undefined> {
        const { data } = this.directories;
        if (flags.last) return newestConversation(data, flags.path ?? process.cwd());
        const { pickConversation } = await import("../host/conversations/pick-conversation.js");
        return pickConversation(data, { input: process.stdin, output: process.stdout });
    }
}
