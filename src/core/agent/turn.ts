import type {
    ChangedFile,
    ChangeSet,
    ContextPart,
    Entry,
    Jobs,
    JournalRecord,
    Mode,
    ModelConnection,
    ModelInfo,
    ModelRequest,
    NestedOrigin,
    NestedRun,
    NestedRunOptions,
    ObservedEvent,
    Provider,
    Shell,
    ThinkingChoice,
    Tool,
    ToolSchema,
    UserEntry,
    Workspace,
} from "../../plugin/index.js";
import type { Checks } from "./checks.js";
import type { NestedUsage } from "./events.js";
import type { Approver } from "../approval/approver.js";
import type { ContainedRuns } from "../approval/contained-runs.js";
import type { Grants } from "../approval/grants.js";
import type { RunGrants } from "../approval/policy.js";
import type { ContentStore } from "../conversation/content-store.js";
import type { Conversation } from "../conversation/fold.js";
import type { Budget } from "../costs/budget.js";
import type { Ledger } from "../costs/ledger.js";
import type { ResultFormat } from "./calls/outputs.js";
import type { Staging } from "../files/staging.js";
import type { Log } from "../log.js";
import { thinkingFor } from "../registry/thinking.js";

/** Sources of time, ids and randomness, injected for tests. */
export interface Runtime {
    /** Milliseconds since 1970. */
    now(): number;
    /** A new id, unique within the conversation. */
    id(): string;
    /** From 0 (inclusive) to 1 (exclusive). */
    random(): number;
    /** Rejects with the signal's reason if it aborts. */
    sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
}

/** The repository, shared by all calls of a turn, which may run in parallel. */
export interface SharedWorkspace extends Workspace {
    /**
     * The repository for one call. `permitSecret` is asked before reading a file that is ignored or
     * looks like a secret; `onFile` is called for each file that is read or searched on its own.
     */
    readBy(reader: {
        permitSecret(path: string, reason: "secret" | "ignored"): Promise<boolean>;
        onFile?(path: string): void;
    }): Workspace;
}

export type ApplyOutcome =
    | { readonly kind: "applied"; readonly files: readonly ChangedFile[] }
    /** Nothing was written: these files have changed since the review. */
    | { readonly kind: "stale"; readonly paths: readonly string[] };

/** Writes reviewed changes, all files or none. */
export interface ChangeApplier {
    /** Calls `announce` with what is about to be written; if it throws, nothing is written. */
    apply(
        changeSet: ChangeSet,
        announce: (files: readonly ChangedFile[]) => Promise<void> | void
    ): Promise<ApplyOutcome>;
}

/** What a command would do, determined without running it. */
export interface ForeseenCommand {
    /** Clauses without a subject: `deletes build/ (14 files)`. */
    readonly consequences: readonly string[];
    /**
     * Saves what would be lost, right before the command runs. Resolves to a function to call when
     * the command has ended, which says what was lost and saved.
     */
    keep(): Promise<() => Promise<string | undefined>>;
}

/** Limits that stop a turn before the model is done. */
export interface TurnLimits {
    /** Max requests to the model. */
    readonly maxTurns?: number;
    readonly maxCostUsd?: number;
    /** Asks the user whether to continue each time this many replies have arrived. */
    readonly askAfterRequests?: number;
}

/** A message sent during the turn. */
export interface QueuedMessage {
    readonly message: Turn["message"];
    readonly notices: readonly string[];
    /** Removes it from the queue; `false` if it is no longer there. */
    take(): boolean;
}

export interface RequestParts {
    readonly conversation: Conversation;
    readonly model: ModelInfo;
    readonly thinking: ThinkingChoice;
    readonly system: string;
    readonly schemas: readonly ToolSchema[];
    readonly mayPause?: boolean;
    /** For vendors that route caches by a key; defaults to the conversation's id. */
    readonly cacheKey?: string;
}

/** What sending a request needs: the vendor's connection, records, costs and the user. */
export interface ModelAccess {
    readonly conversation: Conversation;
    readonly model: ModelInfo;
    readonly provider: Provider;
    readonly connection: ModelConnection;
    /** Stores a record, folds it into the conversation and notifies observers. */
    record(this: void, record: JournalRecord): void;
    /** Notifies observers of starts and finishes. */
    readonly observe?: (event: ObservedEvent) => void;
    readonly ledger: Pick<Ledger, "record">;
    /** Absent if spending is unlimited. */
    readonly budget?: Budget;
    readonly approver?: Approver;
    readonly edges: Runtime;
    readonly signal: AbortSignal;
    readonly log: Log;
}

interface Files {
    readonly workspace: SharedWorkspace;
    readonly applier: ChangeApplier;
    /** Holds streamed files until they are applied. */
    readonly staging: Staging;
    /** Stores file contents from before each change. */
    readonly contents: ContentStore;
    /** Stores a text for the user and resolves to its hash; `undefined` if that fails. */
    keepText(text: string): Promise<string | undefined>;
    /** Which of these files another session edited recently, one sentence each. */
    readonly editedElsewhere?: (paths: readonly string[]) => Promise<readonly string[]>;
    /** Context for files the model has touched, unless already sent. */
    readonly contextFor?: (paths: readonly string[]) => Promise<readonly ContextPart[]>;
}

interface Commands {
    readonly shell: Shell;
    readonly jobs?: Jobs;
    /** Where commands run first; absent if they cannot run contained. */
    readonly contained?: ContainedRuns;
    /** `folder`: the absolute path of the folder it would run in. */
    foresee(command: string, folder: string): Promise<ForeseenCommand>;
    /** Commands that count as checks in addition to those of common tools. */
    readonly checkCommands?: readonly string[] | undefined;
}

/** Rejects only with the reason of the turn's signal. */
export type RunNested = (
    options: NestedRunOptions,
    origin: Omit<NestedOrigin, "parent">,
    tell: (usage: NestedUsage) => void
) => Promise<NestedRun>;

interface Nesting {
    /** Runs the model for a tool; absent in a nested run. */
    readonly nested?: RunNested;
    /** The configured model for nested runs. */
    readonly nestedModel?: string;
    readonly isNested?: true;
}

export interface Turn extends RequestParts, ModelAccess, Files, Commands, Nesting {
    readonly mode: Mode;
    readonly message: Pick<UserEntry, "text" | "content" | "context">;
    /** The next queued message; absent if nobody can send one. */
    readonly nextMessage?: () => Promise<QueuedMessage | undefined>;
    /** All tools; the mode decides which are offered to the model. */
    readonly tools: ReadonlyMap<string, Tool>;
    /** How the model gets results; defaults to text. */
    readonly results?: ResultFormat;
    readonly checks?: Checks;
    readonly grants: Pick<
        Grants,
        "snapshot" | "allowCommand" | "suspendCommand" | "setAutomatic" | "allowKey"
    >;
    readonly runGrants: RunGrants;
    readonly limits: TurnLimits;
    sync(): Promise<void>;
    /** Removes what models must not see from a record. */
    clean?(record: JournalRecord): JournalRecord;
}

/** Why a turn was stopped from outside; used as the reason of the turn's signal. */
export class TurnStopped extends Error {
    constructor(readonly stopReason: "cancelled" | "timeout") {
        super(stopReason === "timeout" ? "Time limit reached." : "Cancelled.");
        this.name = "TurnStopped";
    }
}

/** Builds the next request, for sending and for the status line's estimate. */
export function requestOf({
    model,
    system,
    schemas,
    conversation,
    thinking,
    mayPause,
    cacheKey = conversation.id,
}: RequestParts): ModelRequest {
    return {
        model,
        system,
        tools: schemas,
        messages: conversation.messages,
        maxOutputTokens: model.maxOutputTokens,
        ...thinkingFor(model, thinking),
        ...(mayPause ? { mayPause } : {}),
        conversationId: cacheKey,
    };
}

type NewEntry<Kind = Entry> = Kind extends Entry ? Omit<Kind, "id" | "at"> : never;

/** Creates an entry with the current time. Readers rely on `kind` coming first in its log line. */
export function newEntry<Kind extends NewEntry>(edges: Pick<Runtime, "id" | "now">, entry: Kind) {
    return { ...{ kind: entry.kind, id: edges.id(), at: edges.now() }, ...entry };
}
