import { Flags } from "@oclif/core";
import { chatFlags, inWorktree } from "../host/command-line/chat-flags.js";
import { ConversationCommand } from "../host/command-line/conversation-command.js";
import { conversationIdOf, newestConversation } from "../host/conversations/conversation-list.js";
import { runConversation } from "../host/run-conversation.js";
import { promptArgument } from "../host/command-line/flags.js";

export default class Resume extends ConversationCommand {
    static override summary = "Resume an earlier conversation.";
    static override description =
        "Continues in the conversation's repository unless you pass --path. " +
        "Without an ID, lets you choose from a list.";
    static override usage = "resume [ID] [PROMPT] [-p] [FLAGS]";
    static override examples = [
        { command: "north resume", description: "Choose one from a list." },
        { command: "north resume 3fa2c1", description: "Resume it in the chat." },
        {
            command: "north resume --last -p 'Continue'",
            description: "Continue the newest one of this repository in print mode.",
        },
        {
            command: "north resume 3fa2c1 --fork --at 4",
            description: "Branch off after its fourth turn.",
        },
        {
            command: "north resume 3fa2c1 --path ~/moved/project",
            description: "Resume it after the repository has moved.",
        },
    ];
    static override args = {
        id: promptArgument({
            description: "Conversation ID, its first digits, or a name; see `north conversations`.",
        }),
        prompt: promptArgument({ description: "Next message." }),
    };
    static override flags = {
        ...chatFlags,
        last: Flags.boolean({ description: "Resume the newest conversation of this repository." }),
        fork: Flags.boolean({
            description: "Continue in a copy and leave the original unchanged.",
        }),
        at: Flags.integer({
            description: "With --fork: keep the turns up to this one; see `north turns`.",
            helpValue: "TURN",
            dependsOn: ["fork"],
            min: 1,
        }),
    };

    async run(): Promise<void> {
        const { args, flags: given } = await this.parse(Resume);
        const flags = await inWorktree(given);
        // With --last there is no id, so the first argument is the prompt; `north -r` passes an empty id.
        const [id, prompt] = flags.last ? ["", args.id || args.prompt] : [args.id, args.prompt];
        const chosen = id || (await this.choose(flags));
        if (chosen === undefined) return this.exit(130);
        const found = await conversationIdOf(this.directories.data, chosen);
        const resume = flags.fork ? await this.fork(found, flags.at) : found;
        process.exitCode = await runConversation({ ...this.surroundings, flags, resume, prompt });
    }

    private async fork(id: string, turn?: number): Promise<string> {
        const { forkStored } = await import("../host/conversations/fork-conversation.js");
        const fork = await forkStored(this.directories.data, id, turn);
        for (const notice of fork.notices) this.logToStderr(notice);
        return fork.id;
    }

    private async choose(flags: { last: boolean; path?: string }): Promise<string | undefined> {
        const { data } = this.directories;
        if (flags.last) return newestConversation(data, flags.path ?? process.cwd());
        const { pickConversation } = await import("../host/conversations/pick-conversation.js");
        return pickConversation(data);
    }
}
