import type {
    AllowedCommand,
    AutomaticApprovals,
    ContainmentMode,
    UnconfirmedGrant,
} from "./approvals.js";
import type { AsideAnswer, ModelCost, ReplyUsage } from "./costs.js";
import type { HiddenOutput } from "./hidden-output.js";
import type { Jobs } from "./jobs.js";
import type { Mode } from "./message.js";
import type { ModelInfo, ThinkingChoice } from "./provider.js";
import type { FinishedRace, RaceOptions } from "./race.js";
import type { ShellOutcome } from "./shell.js";
import type { ProjectReview, ReviewOptions } from "./review.js";
import type { SlashChanges } from "./slash-changes.js";

/** A stored conversation, as listed. */
export interface ConversationInfo {
    readonly id: string;
    /** The repository root of the conversation. */
    readonly root: string;
    readonly provider: string;
    readonly model: string;
    /** Milliseconds since 1970. */
    readonly updatedAt: number;
    /** The beginning of the first message, on one line. */
    readonly firstWords: string;
    /** The user's name for it. */
    readonly name?: string;
    /** User messages plus replies. */
    readonly messageCount: number;
    /** US dollars; excludes replies of unknown price. */
    readonly costUsd: number;
    /** How many replies have an unknown price. */
    readonly unpricedRequests: number;
}

export interface ListConversationsOptions {
    /** Aborts the call, which rejects with the signal's reason. */
    readonly signal?: AbortSignal;
    /** Called while reading logs that are not in the index yet. */
    progress?(read: number, total: number): void;
    /** Receives a warning about logs that could not be read. */
    tell?(text: string): void;
}

/** A turn ends only once this command exits with 0. */
export interface TurnGoal {
    readonly command: string;
    /** Max times that the model continues with the command's output. */
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
        /** Breakdown by origin, if known. */
        readonly origins?: readonly { readonly origin: string; readonly tokens: number }[];
    }[];
    readonly totalTokens: number;
    /** The provider's last count; absent before the first answer. */
    readonly reportedTokens?: number;
    readonly limitTokens: number;
    /** What was left out because the model's window is small; one sentence. */
    readonly leftOut?: string;
}

/** A plan of the model, which the user accepts before anything changes. */
export interface ConversationPlan {
    /** Markdown; once accepted, exactly what the user accepted. */
    readonly text: string;
    /** `answer`: the last turn ended with it, and the user has not decided. */
    readonly state: "answer" | "earlier" | "accepted";
    /** Its progress, one line per step. */
    readonly todos?: string;
    /** The message that accepts this version of it. */
    carryOut(text: string): { readonly text: string; readonly typed: string };
}

export interface SummarizeOptions {
    /** Messages to keep unchanged; defaults to 10. */
    readonly keepLast?: number;
    readonly signal: AbortSignal;
    /** Receives progress notices for the user. */
    tell(text: string): void;
}

/** The outcome of a summary. */
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

/** The outcome of studying the project. */
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

/** A git worktree and the repository it belongs to. */
export interface Worktree {
    readonly folder: string;
    /** The repository's folder. */
    readonly repository: string;
    readonly branch: string;
    /** The branch checked out in the repository. */
    readonly target: string;
    /** Commits that `target` lacks, one line each, newest first. */
    readonly commits: readonly string[];
    /** Uncommitted files, in the format of `git status --short`. */
    readonly uncommitted: readonly string[];
    /** Everything a merge would bring. */
    diff(): Promise<string>;
    /**
     * Commits uncommitted changes with this message and merges the branch into `target`. Resolves
     * to a sentence for the user. Rejects with `merge-conflict`, having merged nothing.
     */
    merge(message: string): Promise<string>;
    /** Removes the folder, and the branch if it is merged. Resolves to a sentence for the user. */
    remove(): Promise<string>;
}

/** Settings that apply from the next turn on. */
export interface SlashSession {
    readonly models: {
        current(): ModelInfo;
        list(): Promise<
            readonly {
                readonly model: ModelInfo;
                readonly provider: string;
                readonly hasKey: boolean;
                /** The conversation's model: several providers may serve the same one. */
                readonly isCurrent: boolean;
            }[]
        >;
        /**
         * Selects by alias, id or `provider/id`, each with an optional `-thinking`, and remembers
         * the choice for later conversations. `notice` is for the user, such as an unknown price.
         * Rejects with `unknown-model`.
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
    /** The command that must pass before a turn ends. */
    readonly until: {
        current(): TurnGoal | undefined;
        set(goal: TurnGoal | undefined): void;
    };
}

/** The current conversation. */
export interface SlashConversation {
    readonly id: string;
    /** The user's name for it; empty if unnamed. */
    readonly name: string;
    /** Renames it; one line of up to 80 characters. */
    rename(name: string): Promise<void>;
    /**
     * Switches to a new conversation with this one's turns, up to `turn` if given, and resolves with
     * notices for the user. Rejects with `nothing-said` or `no-such-turn`.
     */
    fork(turn?: number): Promise<readonly string[]>;
    /** The newest plan, proposed or accepted; `undefined` if there is none. */
    plan(): ConversationPlan | undefined;
    /** The model's last answer as Markdown; empty if there is none. */
    lastAnswer(): string;
    /** Starts a new conversation with the same shell. */
    startNew(): Promise<void>;
    /**
     * Switches to another conversation and resolves with warnings for the user. Rejects with
     * `no-such-conversation`, `conversation-in-use` or `other-repository`; the current one then continues.
     */
    resume(id: string): Promise<readonly string[]>;
    /**
     * Writes the conversation as JSON or HTML, by the file's extension, else as Markdown. Paths
     * are relative to the root; the default name is the conversation's. Resolves to the file's
     * path. Rejects with `file-exists`, `nothing-said` or `not-writable`.
     */
    export(file?: string): Promise<string>;
    /**
     * Summarizes all but the last messages. Rejects with `nothing-to-summarize`, `summary-failed` or
     * `budget-spent`, without changing anything.
     */
    summarize(options: SummarizeOptions): Promise<Summarized>;
    /**
     * Asks the model about the conversation so far; question and answer do not become part of it.
     * Rejects with `no-answer`, `budget-spent`, or like a request.
     */
    askAside(question: string, options: Omit<SummarizeOptions, "keepLast">): Promise<AsideAnswer>;
    /** Reported usage per reply, oldest first. */
    replies(): readonly ReplyUsage[];
    contextUsage(): ContextUsage;
    /** Output that the transcript truncates or omits, newest first. */
    hiddenOutputs(): readonly HiddenOutput[];
}

/** What runs without asking. */
export interface SlashPermissions {
    readonly approvals: {
        automatic(): Promise<AutomaticApprovals>;
        setAutomatic(change: Partial<AutomaticApprovals>): Promise<void>;
        /** Automatic approvals that last until North quits. */
        automaticThisRun(): AutomaticApprovals;
        setAutomaticThisRun(change: Partial<AutomaticApprovals>): void;
        allowedCommands(): Promise<readonly AllowedCommand[]>;
        removeCommand(command: AllowedCommand): Promise<void>;
        /** Keys of questions answered with "always": `host:registry.example`. */
        allowedKeys(): Promise<readonly string[]>;
        removeKey(key: string): Promise<void>;
    };
    /** Grants that came with the repository; none has any effect until allowed. */
    readonly trust: {
        /** Includes declined grants. */
        list(): Promise<readonly UnconfirmedGrant[]>;
        allow(grant: UnconfirmedGrant): Promise<void>;
        decline(grant: UnconfirmedGrant): Promise<void>;
    };
}

/** What North keeps for the project. */
export interface SlashProject {
    readonly memory: {
        /** Project entries first, then global ones. */
        list(): Promise<readonly MemoryEntry[]>;
        /** Rejects with `invalid-memory`. The model gets the entry with the next message. */
        add(entry: MemoryEntry): Promise<void>;
        /** Resolves to `false` if it no longer exists. */
        remove(entry: MemoryEntry): Promise<boolean>;
    };
    readonly profile: {
        /** Studies the project for all conversations. A cancel keeps the topics already done. */
        learn(options: LearnOptions): Promise<Learned>;
        /** Remembers that the user declined; it is not offered again. */
        decline(): Promise<void>;
    };
    /**
     * Reviews the changes since a branch, of a commit or of a range; by default the uncommitted
     * changes. Rejects with `not-a-repository`, `no-such-target`, `unsafe-settings` or `no-api-key`.
     */
    review(target: string | undefined, options: ReviewOptions): Promise<ProjectReview>;
    /**
     * Runs a task several times, each in a draft of its own. Rejects with `check-unseeing` before any
     * run where commands cannot see drafts.
     */
    race(options: RaceOptions): Promise<FinishedRace>;
    /** The session's worktree; `undefined` in the repository itself. */
    worktree(): Promise<Worktree | undefined>;
}

/** The shell of the model's commands. */
export interface SlashShell {
    /**
     * Runs a command contained and discards its changes. `undefined` if it cannot run contained or
     * would change something: ask the user, then call `run`.
     */
    contained(command: string, signal: AbortSignal): Promise<ShellOutcome | undefined>;
    /**
     * Runs a command for real, in the session of the model's commands. Needs the user's
     * consent.
     */
    run(command: string, signal: AbortSignal): Promise<ShellOutcome>;
    /** Background commands. */
    readonly jobs: Omit<Jobs, "output">;
    readonly containment: {
        mode(): ContainmentMode;
        /** Lasts until North quits. */
        setMode(mode: ContainmentMode): void;
        /** What a contained command can access, one line each, or why none can run contained. */
        describe(): Promise<readonly string[]>;
    };
}

/** The session, conversation and project, as available to slash commands. */
export interface SlashServices {
    readonly session: SlashSession;
    readonly conversation: SlashConversation;
    /** Earlier conversations of this project, newest first. */
    readonly conversations: {
        list(options?: ListConversationsOptions): Promise<readonly ConversationInfo[]>;
    };
    readonly changes: SlashChanges;
    readonly permissions: SlashPermissions;
    readonly project: SlashProject;
    readonly shell: SlashShell;
    readonly costs: {
        conversation(): Promise<readonly ModelCost[]>;
        allTime(): Promise<readonly ModelCost[]>;
    };
    readonly keys: {
        /** Ids of the providers that need a key. */
        readonly providers: readonly string[];
        /**
         * Deletes a provider's stored key; defaults to the current model's provider. Resolves to
         * sentences about the outcome. Rejects with `unknown-provider`.
         */
        forget(provider?: string): Promise<string>;
    };
    /** Tools from plugins other than North's own. */
    readonly pluginTools: readonly { readonly name: string; readonly plugin: string }[];
}
