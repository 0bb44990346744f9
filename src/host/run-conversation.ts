import { isExpectedError, NorthError } from "../base/north-error.js";
import { modeIn } from "./command-line/chat-flags.js";
import { exitCodeOf } from "./command-line/usage-error.js";
import type { ConversationRun } from "./session/open-session.js";

/** Scripts that read JSON get their object even if the run cannot be prepared. */
export async function prepareConversation(
    flags: ConversationRun["flags"],
    prepare: () => Promise<ConversationRun>
): Promise<number> {
    let run: ConversationRun;
    try {
        run = await prepare();
    } catch (error) {
        const { print, "output-format": format } = flags;
        const mode = modeIn(flags) ?? "agent";
        if (!print || format === "text" || !isExpectedError(error)) throw error;
        const { printFailure } = await import("../chat/print/run-print.js");
        printFailure(error, { format, mode, stdout: process.stdout, stderr: process.stderr });
        return exitCodeOf(error);
    }
    return runConversation(run);
}

/** Opens the project and the conversation, runs it and closes both. Resolves with the exit code. */
async function runConversation(run: ConversationRun): Promise<number> {
    if (run.flags.print) {
        const { printConversation } = await import("./print-conversation.js");
        return printConversation(run);
    }
    if (!process.stdin.isTTY || !process.stdout.isTTY) {
        throw new NorthError("not-a-terminal", "The chat needs a terminal.", [
            `Use print mode instead: \`north ${run.resume ? `resume ${run.resume} ` : ""}-p "your question"\`.`,
        ]);
    }
    const { chatConversation } = await import("./chat-conversation.js");
    return chatConversation(run);
}
