import { Flags } from "@oclif/core";
import { chatFlags, inWorktree } from "../host/command-line/chat-flags.js";
import { ConversationCommand } from "../host/command-line/conversation-command.js";
import { newestConversation } from "../host/conversations/conversation-list.js";
import { runConversation } from "../host/run-conversation.js";
import { promptArgument, textFlag } from "../host/command-line/flags.js";

export default class Chat extends ConversationCommand {
    static override summary = "Work on this repository with a model.";
    static override description =
        "Opens the chat, or answers one prompt with --print. `north` alone means `north chat`.";
    static override usage = "chat [PROMPT] [-p] [FLAGS]";
    static override examples = [
        { command: "north", description: "Open the chat." },
        { command: "north -c", description: "Resume the newest conversation here." },
        {
            command: 'north -p "Where is the retry logic?"',
            description: "Answer one question and exit.",
        },
        {
            command: "north -w fix-login",
            description: "Work in a git worktree beside the repository.",
        },
        {
            command: "$ git diff | north -p 'Review this' --mode ask",
            description: "Read from a pipe; change nothing.",
        },
        {
            command: "north -p 'Fix the failing test' --accept-edits --approve-shell",
            description: "Edit and run commands without asking, in this run only.",
        },
    ];
    static override args = {
        prompt: promptArgument({ description: "First message." }),
    };
    static override flags = {
        ...chatFlags,
        continue: Flags.boolean({
            char: "c",
            description: "Resume the newest conversation of this repository.",
            exclusive: ["resume"],
        }),
        resume: textFlag({
            char: "r",
            description: "Resume a conversation (without an ID, choose from a list).",
            helpValue: "[ID]",
        }),
        once: textFlag({
            description:
                "With --print: run once under this key. Started again, it answers from its log, or resumes if it was interrupted.",
            helpValue: "KEY",
            dependsOn: ["print"],
            exclusive: ["continue", "resume"],
        }),
    };

    async run(): Promise<void> {
        const { args, flags: given } = await this.parse(Chat);
        const flags = await inWorktree(given);
        const resume = flags.continue
            ? await newestConversation(this.directories.data, flags.path ?? process.cwd())
            : flags.resume;
        const run = { flags, resume, once: given.once, prompt: args.prompt };
        process.exitCode = await runConversation({ ...this.surroundings, ...run });
    }
}
