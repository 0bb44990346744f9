import type {
    AllowedCommand,
    AutomaticApprovals,
    ContainmentMode,
    UnconfirmedGrant,
} from "./approvals.js";
import type { ChangeSet } from "./change-set.js";
import type { ModelCost, ReplyUsage } from "./costs.js";
import type { HiddenOutput } from "./hidden-output.js";
import type { Jobs } from "./jobs.js";
import type { Mode } from "./message.js";
import type { ModelInfo, ThinkingChoice } from "./provider.js";
import type { ShellOutcome } from "./shell.js";

export interface ConversationInfo {
    readonly id: string;
    /** The repository root of the conversation. */
    readonly root: string;
    readonly provider: string;
    readonly model: string;
    /** Milliseconds since 1970. */
    readonly updatedAt: number;
    /** The first message's beginning, on one line. */
    readonly firstWords: string;
    /** As the user has named it. */
    readonly name?: string;
    readonly messageCount: number;
    /** US dollars, without replies of unknown price. */
    readonly costUsd: number;
}

export interface ListConversationsOptions {
    /** Rejects with the reason of an abort. */
    readonly signal?: AbortSignal;
    /** Called while logs are read that are not in the index yet. */
    progress?(read: number, total: number): void;
    /** Receives a warning about logs that could not be read. */
    tell?(text: string): void;
}

/** Changes that can be undone or redone. */
export interface PlannedUndo {
    readonly changeSet: ChangeSet;
    /** Redoes what was undone last. */
    readonly isRedo: boolean;
    /** Rejects with `changed-since` and writes nothing. */
    apply(): Promise<void>;
}

export interface ChangedTurn {
    /** Counts the user's messages, from 1. */
    readonly turn: number;
    /** The message, as typed. */
    readonly question: string;
    /** Milliseconds since 1970. */
    readonly at: number;
    /** Relative to the root. */
    readonly files: readonly string[];
    /** Whether all of its edits stand, some, or none because they were undone or dropped. */
    readonly inEffect: "all" | "some" | "none";
    /** All of this as a row of a list. */
    readonly line: string;
}

/** What a turn did to a file and cannot be taken back, because it was changed since. */
export interface DropConflict {
    readonly path: string;
    /** From 1; absent where the whole file is in question. */
    readonly line?: number;
    /** Lines for the user: the place, and what it was, became and is now. */
    readonly text: string;
}

/** The edits of one turn, to be taken back while later ones stay. */
export type PlannedDrop =
    | { readonly kind: "ready"; readonly planned: PlannedUndo }
    | { readonly kind: "conflicts"; readonly conflicts: readonly DropConflict[] };

/** A turn ends only when this command has exited with 0. */
export interface TurnGoal {
    readonly command: string;
    /** How often the model goes on with its output. */
    readonly maxAttempts: number;
}

/** A memory of one project, or of all projects. */
export interface MemoryEntry {
    readonly scope: "project" | "global";
    readonly text: string;
}

/** Estimated tokens of the next request. */
export interface ContextUsage {
    /** In the order sent: system prompt, tools, context, conversation. */
    readonly parts: readonly {
        readonly name: string;
        readonly tokens: number;
        /** What it consists of, by origin; only where origins are known. */
        readonly origins?: readonly { readonly origin: string; readonly tokens: number }[];
    }[];
    readonly totalTokens: number;
    /** The provider's last count; absent before the first answer. */
    readonly reportedTokens?: number;
    readonly limitTokens: number;
}

export interface SummarizeOptions {
    /** Messages to keep unchanged; defaults to 10. */
    readonly keepLast?: number;
    readonly signal: AbortSignal;
    /** Receives progress notices for the user. */
    tell(text: string): void;
}

export interface Summarized {
    /** Number of messages it replaces. */
    readonly messages: number;
    /** Tokens of the next request, before and after. */
    readonly before: number;
    readonly after: number;
}

export interface LearnOptions {
    readonly signal: AbortSignal;
    /** A topic has started; `percent` of the work is done. */
    progress(title: string, percent: number): void;
    /** A topic is done or has failed, or there is another notice for the user. */
    tell(text: string): void;
}

export interface Learned {
    /** Path of the profile. */
    readonly file: string;
    /** Titles of the new sections. */
    readonly learned: readonly string[];
    /** Topics that failed and why; their earlier sections remain. */
    readonly failed: readonly { readonly title: string; readonly reason: string }[];
    /** US dollars; `null` if a price is unknown. */
    readonly costUsd: number | null;
}

/** A git worktree beside the repository that it belongs to. */
export interface Worktree {
    readonly folder: string;
    /** The folder of the repository. */
    readonly repository: string;
    readonly branch: string;
    /** The branch that the repository is on. */
    readonly target: string;
    /** What `target` does not have, a line each, newest first. */
    readonly commits: readonly string[];
    /** Changed files, as `git status --short` has them. */
    readonly uncommitted: readonly string[];
    /** All that a merge would bring. */
    diff(): Promise<string>;
    /**
     * Commits what is uncommitted with this message and merges the branch in the repository. Resolves
     * with a sentence. Rejects with `merge-conflict`, and then merged nothing.
     */
    merge(message: string): Promise<string>;
    /** Removes the folder, and the branch if it is merged. Resolves with a sentence. */
    remove(): Promise<string>;
}

/** The conversation and project, as slash commands may use them. */
export interface SlashServices {
    /** Tools from plugins other than North's own. */
    readonly pluginTools: readonly { readonly name: string; readonly plugin: string }[];
    readonly conversation: {
        readonly id: string;
        /** As the user has named it; empty if unnamed. */
        readonly name: string;
        /** Names it, on one line of up to 80 characters. */
        rename(name: string): Promise<void>;
        /**
         * Switches to a new conversation with this one's turns, up to `turn` if given, and resolves with
         * notices for the user. Rejects with `nothing-said` or `no-such-turn`.
         */
        fork(turn?: number): Promise<readonly string[]>;
        /** The model's last answer as Markdown; empty if there is none. */
        lastAnswer(): string;
        /** Starts a new conversation with the same shell. */
        startNew(): Promise<void>;
        /**
         * Switches to another conversation and resolves with warnings for the user. Rejects with
         * `no-such-conversation`, `conversation-in-use` or `other-repository`, and then the current
         * one continues.
         */
        resume(id: string): Promise<readonly string[]>;
        /**
         * Writes the conversation as JSON or HTML if the file's name ends so, else as Markdown. Paths are
         * relative to the root; the default name is the conversation's. Resolves with the file's
         * path. Rejects with `file-exists`, `nothing-said` or `not-writable`.
         */
        export(file?: string): Promise<string>;
        /**
         * Summarizes all but the last messages. Rejects with `nothing-to-summarize`,
         * `summary-failed` or `budget-spent`, and then changes nothing.
         */
        summarize(options: SummarizeOptions): Promise<Summarized>;
        /** Reported usage per reply, oldest first. */
        replies(): readonly ReplyUsage[];
        /** Output that the transcript truncates or omits, newest first. */
        hiddenOutputs(): readonly HiddenOutput[];
    };
    /** Earlier conversations of this project, newest first. */
    readonly conversations: {
        list(options?: ListConversationsOptions): Promise<readonly ConversationInfo[]>;
    };
    readonly profile: {
        /** Studies the project for all conversations; a cancel keeps the topics finished before it. */
        learn(options: LearnOptions): Promise<Learned>;
        /** Remembers that the user does not want it; it is not offered again. */
        decline(): Promise<void>;
    };
    readonly changes: {
        /**
         * Without a number: undoes the last change, or redoes it if it was undone. With a number:
         * undoes that many of the last turns in effect. Rejects with `nothing-to-undo`, or with
         * `changed-since` if a file differs from what North wrote.
         */
        planUndo(turns?: number): Promise<PlannedUndo>;
        /** The turns of this conversation that changed files, oldest first. */
        turns(): readonly ChangedTurn[];
        /** Takes back one turn's edits; later ones stay. Rejects: `no-such-turn`, `nothing-to-drop`. */
        planDrop(turn: number): Promise<PlannedDrop>;
    };
    /** What commands deleted or overwrote and git does not hold, newest last. */
    readonly rescues: {
        list(): Promise<
            readonly { readonly id: string; readonly command: string; readonly line: string }[]
        >;
        /** Resolves with the absolute paths. Rejects with `nothing-to-rescue`. */
        restore(id: string): Promise<readonly string[]>;
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
         * Selects by alias or id, both also with `-thinking`, and remembers the choice for later
         * conversations. Rejects with `unknown-model`. `notice`: what the user should know of it, such
         * as an unknown price.
         */
        select(name: string): Promise<ModelInfo & { readonly notice?: string }>;
    };
    readonly mode: { current(): Mode; select(mode: Mode): void };
    /** Whether the model thinks before answering; stored with the conversation. */
    readonly thinking: {
        current(): ThinkingChoice;
        /** `on`, `off` or one of the model's efforts; throws `no-thinking` for any other. */
        select(setting: string): ThinkingChoice;
    };
    readonly costs: {
        conversation(): Promise<readonly ModelCost[]>;
        allTime(): Promise<readonly ModelCost[]>;
    };
    readonly memory: {
        /** Project entries first, then global ones. */
        list(): Promise<readonly MemoryEntry[]>;
        /** Rejects with `invalid-memory`. The model learns of it with the next message. */
        add(entry: MemoryEntry): Promise<void>;
        /** Resolves with `false` if it no longer exists. */
        remove(entry: MemoryEntry): Promise<boolean>;
    };
    readonly context: { usage(): ContextUsage };
    readonly keys: {
        /** Ids of the providers that need a key. */
        readonly providers: readonly string[];
        /**
         * Deletes a provider's stored key; defaults to the current model's provider. Resolves with
         * sentences about the outcome. Rejects with `unknown-provider`.
         */
        forget(provider?: string): Promise<string>;
    };
    readonly until: {
        current(): TurnGoal | undefined;
        set(goal: TurnGoal | undefined): void;
    };
    /** The worktree that the session works in; `undefined` in the repository itself. */
    worktree(): Promise<Worktree | undefined>;
    /** What came with the repository and does nothing until it is allowed. */
    readonly trust: {
        /** Also what the user declined. */
        list(): Promise<readonly UnconfirmedGrant[]>;
        allow(grant: UnconfirmedGrant): Promise<void>;
        decline(grant: UnconfirmedGrant): Promise<void>;
    };
    readonly approvals: {
        automatic(): Promise<AutomaticApprovals>;
        setAutomatic(change: Partial<AutomaticApprovals>): Promise<void>;
        /** What is automatic only until North ends. */
        automaticThisRun(): AutomaticApprovals;
        setAutomaticThisRun(change: Partial<AutomaticApprovals>): void;
        allowedCommands(): Promise<readonly AllowedCommand[]>;
        removeCommand(command: AllowedCommand): Promise<void>;
    };
    /** Commands in the background. */
    readonly jobs: Omit<Jobs, "output">;
    readonly shell: {
        /**
         * Runs a command contained; its changes are dropped. `undefined` if it cannot run so, or would
         * change something: ask the user, then `run`.
         */
        contained(command: string, signal: AbortSignal): Promise<ShellOutcome | undefined>;
        /** Runs a command for real, in the session of the model's commands. The user must have allowed it. */
        run(command: string, signal: AbortSignal): Promise<ShellOutcome>;
    };
    readonly containment: {
        mode(): ContainmentMode;
        /** Until North ends. */
        setMode(mode: ContainmentMode): void;
        /** What a contained command sees, a line each; why none can run where that is so. */
        describe(): Promise<readonly string[]>;
    };
}
