import type { AllowedCommand, AutomaticApprovals } from "./approvals.js";
import type { ChangeSet } from "./change-set.js";
import type { ModelCost, ReplyUsage } from "./costs.js";
import type { HiddenOutput } from "./hidden-output.js";
import type { Mode } from "./mode.js";
import type { ModelInfo, ThinkingChoice } from "./provider.js";

/** A conversation, as a list shows it. */
export interface ConversationInfo {
    readonly id: string;
    /** The root it was held in. */
    readonly root: string;
    readonly provider: string;
    readonly model: string;
    /** Milliseconds since 1970. */
    readonly updatedAt: number;
    /** The beginning of the user's first message, on one line. */
    readonly firstWords: string;
    readonly messageCount: number;
    /** US dollars; replies of unknown price are not in it. */
    readonly costUsd: number;
}

/** Changes that can be taken back, or done again. */
export interface PlannedUndo {
    /** What will be written. */
    readonly changeSet: ChangeSet;
    /** It does again what was taken back last. */
    readonly isRedo: boolean;
    /** Rejects with `changed-since`, and then nothing was written. */
    apply(): Promise<void>;
}

/** Something North was told to remember, in this project or in all of them. */
export interface MemoryEntry {
    readonly scope: "project" | "global";
    readonly text: string;
}

/** What the next request will hold, in estimated tokens. */
export interface ContextUsage {
    /** In the order in which it is sent: the system prompt, tools, what came along, what was said. */
    readonly parts: readonly { readonly name: string; readonly tokens: number }[];
    readonly totalTokens: number;
    /** As the provider counted it last; absent before the first answer. */
    readonly reportedTokens?: number;
    readonly limitTokens: number;
}

/** How a conversation is summarized. */
export interface SummarizeOptions {
    /** Messages that stay as they are; 10 if absent. */
    readonly keepLast?: number;
    readonly signal: AbortSignal;
    /** Told what the user should know while it goes on. */
    tell(text: string): void;
}

/** What a summary has changed. */
export interface Summarized {
    /** How many messages it stands in for. */
    readonly messages: number;
    /** Tokens of the next request, before and after. */
    readonly before: number;
    readonly after: number;
}

/** How a project is learned. */
export interface LearnOptions {
    readonly signal: AbortSignal;
    /** A topic begins; so many percent are done. */
    progress(title: string, percent: number): void;
    /** A topic is done, or could not be; and what else the user should know. */
    tell(text: string): void;
}

/** What was learned. */
export interface Learned {
    /** Where the profile is. */
    readonly file: string;
    /** Titles of the sections that are new. */
    readonly learned: readonly string[];
    /** What kept the others from being so; their earlier sections stay. */
    readonly failed: readonly { readonly title: string; readonly reason: string }[];
    /** US dollars; `null` where a price is unknown. */
    readonly costUsd: number | null;
}

/** What a slash command may do with the conversation it was typed in, and with the project. */
export interface SlashServices {
    /** The tools that are not North's own. */
    readonly pluginTools: readonly { readonly name: string; readonly plugin: string }[];
    readonly conversation: {
        readonly id: string;
        /** Starts a new conversation and keeps the shell. */
        startNew(): Promise<void>;
        /**
         * Leaves this conversation for another one; resolves with what the user should be warned
         * of. Rejects with `no-such-conversation`, `conversation-in-use` or `other-repository`, and
         * then this one goes on.
         */
        resume(id: string): Promise<readonly string[]>;
        /**
         * Writes it to a file: as JSON where its name ends in `.json`, else as Markdown. A path is
         * relative to the root; without one the file is named after the conversation. Resolves with
         * where it is. Rejects with `file-exists`, `nothing-said` or `not-writable`.
         */
        export(file?: string): Promise<string>;
        /**
         * Has the model summarize all but the last messages. Rejects with `nothing-to-summarize`,
         * `summary-failed` or `budget-spent`, and then nothing was changed.
         */
        summarize(options: SummarizeOptions): Promise<Summarized>;
        /** What each reply took that reported it, oldest first. */
        replies(): readonly ReplyUsage[];
        /** What the transcript shows shortened or not at all, newest first. */
        hiddenOutputs(): readonly HiddenOutput[];
    };
    /** Earlier conversations of this project, newest first. */
    readonly conversations: { list(): Promise<readonly ConversationInfo[]> };
    readonly profile: {
        /**
         * Has the model look at the project, topic by topic, and keeps what it finds for all
         * conversations. What is done when it is cancelled stays.
         */
        learn(options: LearnOptions): Promise<Learned>;
    };
    readonly changes: {
        /**
         * Without a number what takes back the last change, or does it again if it was taken back;
         * with one, what takes back so many of the last turns that are in effect. Rejects with
         * `nothing-to-undo`, or with `changed-since` where a file is not what North left behind.
         */
        planUndo(turns?: number): Promise<PlannedUndo>;
    };
    readonly models: {
        current(): ModelInfo;
        list(): Promise<
            readonly {
                readonly model: ModelInfo;
                readonly provider: string;
                readonly hasKey: boolean;
            }[]
        >;
        /**
         * By alias or id, both also with `-thinking`; remembered for later conversations. Rejects
         * with `unknown-model`.
         */
        select(name: string): Promise<ModelInfo>;
    };
    readonly mode: { current(): Mode; select(mode: Mode): void };
    /** Whether the model thinks before it answers; kept with the conversation. */
    readonly thinking: {
        current(): ThinkingChoice;
        /**
         * `on`, `off`, or one of the model's efforts. Throws `no-thinking` where the model cannot be
         * told so.
         */
        select(setting: string): ThinkingChoice;
    };
    readonly costs: {
        conversation(): Promise<readonly ModelCost[]>;
        allTime(): Promise<readonly ModelCost[]>;
    };
    readonly memory: {
        /** The project's entries first, then the global ones. */
        list(): Promise<readonly MemoryEntry[]>;
        /** Rejects with `invalid-memory`. The model is told with the next message. */
        add(entry: MemoryEntry): Promise<void>;
        /** Resolves with `false` where it is no longer there. */
        remove(entry: MemoryEntry): Promise<boolean>;
    };
    readonly context: { usage(): ContextUsage };
    readonly keys: {
        /** Ids of the providers that need one. */
        readonly providers: readonly string[];
        /**
         * Deletes a provider's stored key; without an id that of the current model. Resolves with
         * sentences that say what became of it. Rejects with `unknown-provider`.
         */
        forget(provider?: string): Promise<string>;
    };
    readonly approvals: {
        automatic(): Promise<AutomaticApprovals>;
        setAutomatic(change: Partial<AutomaticApprovals>): Promise<void>;
        allowedCommands(): Promise<readonly AllowedCommand[]>;
        removeCommand(command: AllowedCommand): Promise<void>;
    };
}
