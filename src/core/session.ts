import type {
    ContextPart,
    Entry,
    Job,
    Mode,
    ShellOutcome,
    ShellRunOptions,
    SlashCommand,
    SlashServices,
} from "../plugin/index.js";
import type { AgentEvent } from "./agent/events.js";
import type { Approver } from "./approval/approver.js";
import type { Spent } from "./costs/ledger.js";
import type { GivenAttachment } from "./message/attachments.js";

export interface SessionStatus {
    readonly projectName: string;
    readonly modelName: string;
    /** `off`, `on` or an effort. */
    readonly thinking: string;
    readonly mode: Mode;
    /** Tokens of the next request, from the last report or an estimate. */
    readonly contextTokens: number;
    readonly contextLimit: number;
    /** US dollars of this run; excludes requests of unknown price. */
    readonly sessionCostUsd: number;
    readonly unpricedRequests: number;
    readonly allTime: Spent;
}

export interface SendOptions {
    readonly approver?: Approver;
    readonly signal: AbortSignal;
    /** Messages sent during the turn; delivered after a reply's calls. */
    readonly queue?: MessageQueue;
    /** The typed part, not pasted: its `@path` mentions attach files. Defaults to the message. */
    readonly typed?: string;
    /** Continues the last turn, which was interrupted, and sends no message. */
    readonly isContinuation?: boolean;
    /** Reviews the draft as at the end of a turn, in any mode, and sends no message. */
    readonly isDraftReview?: boolean;
    /** Sent along as data. */
    readonly context?: readonly ContextPart[];
    readonly attached?: readonly GivenAttachment[];
}

/** A sent input; mentions count only in `typed`. */
export interface Input {
    readonly text: string;
    readonly typed: string;
}

/** Queued messages; the user may take one back at any time. */
export interface MessageQueue {
    /** The first message, unless something else has to happen before it. */
    peek(): Input | undefined;
    /** Removes it if it is still the first. */
    take(input: Input): boolean;
}

/** Lines shown of the output of the user's own command; `/expand` shows the rest. */
export const OWN_OUTPUT_LINES = 200;

/** One project, one shell and one conversation at a time, as driven by chat and print mode. */
export interface Session {
    readonly root: string;
    readonly conversationId: string;
    readonly entries: readonly Entry[];
    readonly slashCommands: readonly SlashCommand[];
    readonly services: SlashServices;
    status(): SessionStatus;
    /** Prepares for the first message, in the background. */
    prepare(): void;
    /** Runs one turn. The generator must be drained or returned; never run two at once. */
    send(text: string, options: SendOptions): AsyncGenerator<AgentEvent, void>;
    /** All files of the project that are not ignored, sorted by path. */
    listFiles(): Promise<readonly string[]>;
    /** Runs a command of the user; the model sees it with the next message. */
    runOwnCommand(command: string, options: ShellRunOptions): Promise<ShellOutcome>;
    watchJobs(listener: (job: Job) => void): void;
    noteCommand(name: string, argumentsText: string): void;
    /** Stops commands, closes files, updates summaries. Idempotent. */
    close(): Promise<void>;
}
