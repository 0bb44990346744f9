import type { Session } from "../core/session.js";
import type { EditingMode } from "./composer/composer.js";
import type { StatusMarks } from "./render/status-line.js";
import type { NotifySetting } from "./terminal/notification.js";
import type { TerminalOptions } from "./terminal/terminal.js";

export interface OpenedChat {
    readonly session: Session;
    readonly history?: InputHistory;
    readonly notices?: readonly string[];
    /** Sent as if typed. */
    readonly initialPrompt?: string;
    /** Extra facts for the status line. Reread whenever they may have changed. */
    statusMarks?(): Promise<StatusMarks>;
    /** How to notify the user that North waits for them. Off if absent. */
    readonly notify?: NotifySetting;
    readonly editingMode?: EditingMode | undefined;
}

export interface ChatOptions extends TerminalOptions {
    /** Called once the prompt is on screen: loading plugins takes time. */
    open(): Promise<OpenedChat>;
    /** Ends the chat, on SIGTERM or SIGHUP. */
    readonly signal?: AbortSignal;
    onBug?(error: unknown): void;
}

interface InputHistory {
    /** Oldest first. */
    load(): Promise<readonly string[]>;
    /** Appends one input. Safe across processes. */
    append(text: string): Promise<void>;
}
