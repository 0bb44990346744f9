import type { Session } from "../core/session.js";
import type { StatusMarks } from "./render/status-line.js";
import type { NotifySetting } from "./terminal/notification.js";
import type { TerminalOptions } from "./terminal/terminal.js";

export interface OpenedChat {
    readonly session: Session;
    readonly history?: InputHistory;
    readonly notices?: readonly string[];
    /** Sent as if it had been typed. */
    readonly initialPrompt?: string;
    /** What the status line tells beside; read anew whenever it may have changed. */
    statusMarks?(): Promise<StatusMarks>;
    /** How the user is told that somebody waits for them; not at all if absent. */
    readonly notify?: NotifySetting;
}

export interface ChatOptions extends TerminalOptions {
    /** Called when the prompt is on the screen: plugins take their time. */
    open(): Promise<OpenedChat>;
    /** Ends the chat: SIGTERM, SIGHUP. */
    readonly signal?: AbortSignal;
    onBug?(error: unknown): void;
}

/** What the user typed in this project, over all conversations. */
export interface InputHistory {
    /** Oldest first. */
    load(): Promise<readonly string[]>;
    /** Adds one input; safe across processes. */
    append(text: string): Promise<void>;
}
