import type {
    Mode,
    ShellOutcome,
    ShellRunOptions,
    SlashCommand,
    SlashServices,
} from "../plugin/index.js";
import type { AgentEvent } from "./agent/events.js";
import type { Approver } from "./approval/approver.js";
import type { Entry } from "../plugin/records.js";

/** What the status line shows. */
export interface SessionStatus {
    readonly projectName: string;
    readonly modelName: string;
    /** `off`, `on`, or how hard. */
    readonly thinking: string;
    readonly mode: Mode;
    /** Tokens the next request will hold, by the last report or an estimate. */
    readonly contextTokens: number;
    readonly contextLimit: number;
    /** US dollars of this run of North; `unpriced` requests are not in it. */
    readonly sessionCostUsd: number;
    readonly unpricedRequests: number;
    readonly allTimeCostUsd: number;
}

/** How a message is sent. */
export interface SendOptions {
    readonly approver?: Approver;
    readonly signal: AbortSignal;
    /** Where `@path` attaches a file, if not in the whole message: what was piped in is only text. */
    readonly typed?: string;
}

/** So many lines of the output of the user's own command are shown; more are kept for `/expand`. */
export const OWN_OUTPUT_LINES = 200;

/** One project, one shell, one conversation at a time: what the chat and print mode drive. */
export interface Session {
    readonly root: string;
    readonly conversationId: string;
    /** What was said and done so far. */
    readonly entries: readonly Entry[];
    readonly slashCommands: readonly SlashCommand[];
    readonly services: SlashServices;
    status(): SessionStatus;
    /** Begins in the background what the first message needs. */
    prepare(): void;
    /** One turn; the generator must be drained or returned. Never two at once. */
    send(text: string, options: SendOptions): AsyncGenerator<AgentEvent, void>;
    /** Every file of the project that is not ignored, sorted by path. */
    listFiles(): Promise<readonly string[]>;
    /** Runs a command of the user's own; the model is told of it with the next message. */
    runOwnCommand(command: string, options: ShellRunOptions): Promise<ShellOutcome>;
    /** Notes a slash command in the log. */
    noteCommand(name: string, argumentsText: string): void;
    /** Ends commands, closes files, brings summaries up to date. Safe to call twice. */
    close(): Promise<void>;
}
