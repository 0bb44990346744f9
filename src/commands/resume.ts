import { Args, Flags } from "@oclif/core";
import { BaseCommand } from "../host/base-command.js";
import { chatFlags } from "../host/chat-flags.js";
import { findConversation } from "../host/find-conversation.js";
import { runConversation } from "../host/run-conversation.js";

export default class Resume extends BaseCommand {
    static override summary = "Go on with an earlier conversation.";
    static override description =
        "Everything comes from the conversation's log; it goes on in the repository it was held in.";
    static override examples = [
        { command: "<%= config.bin %> resume 3fa2c1", description: "Go on in the chat." },
        {
            command: "<%= config.bin %> resume --last -p 'Go on'",
            description: "The newest conversation of this repository, in print mode.",
        },
    ];
    static override args = {
        id: Args.string({ description: "Six hex digits; `north conversations` lists them." }),
        prompt: Args.string({ description: "What to go on with." }),
    };
    static override flags = {
        ...chatFlags,
        last: Flags.boolean({ description: "The newest conversation of this repository." }),
    };

    async run(): Promise<void> {
        const { args, flags } = await this.parse(Resume);
        // With --last there is no id, so that the first argument is the prompt.
        const [id, prompt] = flags.last ? [undefined, args.id] : [args.id, args.prompt];
        const resume = await findConversation(this.directories.data, {
            id,
            folder: flags.path ?? process.cwd(),
        });
        process.exitCode = await runConversation({
            flags,
            resume,
            config: this.config,
            directories: this.directories,
            environment: process.env,
            ...(prompt === undefined ? {} : { prompt }),
        });
    }
}
