import type { Session } from "../core/session.js";
import { Chat } from "./chat.js";
import type { InputHistory } from "./input-history.js";
import type { NotifySetting } from "./terminal/notification.js";
import { Terminal } from "./terminal/terminal.js";

/** Something to settle before the first prompt. */
export interface StartQuestion {
    readonly question: string;
    readonly details: readonly string[];
    onYes?(): Promise<void>;
    /** Not called where the question was left unanswered. */
    onNo?(): Promise<void>;
    /** What a yes sends, as if it had been typed. */
    readonly inputOnYes?: string;
}

/** What a chat needs. */
export interface ChatOptions {
    readonly session: Session;
    readonly input: NodeJS.ReadStream;
    readonly output: NodeJS.WriteStream;
    readonly environment: NodeJS.ProcessEnv;
    readonly history?: InputHistory;
    /** Lines shown before the first prompt. */
    readonly notices?: readonly string[];
    /** Sent as if it had been typed. */
    readonly initialPrompt?: string;
    readonly confirmAtStart?: readonly StartQuestion[];
    /** How the user is told that somebody waits for them; not at all if absent. */
    readonly notify?: NotifySetting;
    /** Ends the chat: SIGTERM, SIGHUP. */
    readonly signal?: AbortSignal;
    /** Told of what nobody expected, for the log. */
    onBug?(error: unknown): void;
}

/**
 * Runs the chat until the user leaves (`quit`) or the signal ends it (`interrupted`). The terminal
 * is put back on every way out; the session stays open. Rejects with `not-a-terminal` without one.
 */
export async function runChat(options: ChatOptions): Promise<"quit" | "interrupted"> {
    const terminal = new Terminal(options);
    terminal.open();
    try {
        return await new Chat(terminal, options).run();
    } finally {
        terminal.close();
    }
}
