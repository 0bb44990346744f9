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
    Usage,
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

/** Where time, ids and chance come from; injected, so that tests decide them. */
export interface Edges {
    /** Milliseconds since 1970. */
    now(): number;
    /** A new id, unique within the conversation. */
    id(): string;
    /** From 0 up to 1. */
    random(): number;
    /** Rejects with the signal's reason when it is aborted. */
    sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
}

/** The repository for all calls of a turn, which may run side by side. */
export interface SharedWorkspace extends Workspace {
    /**
     * The same repository for one of them: `permitSecret` is asked before it reads a file that
     * looks like a secret or is ignored, `onFile` is told of each file that it read, or searched by itself.
     */
    readBy(reader: {
        permitSecret(path: string, reason: "secret" | "ignored"): Promise<boolean>;
        onFile?(path: string): void;
    }): Workspace;
}

/** How applying a change set ended. */
export type ApplyOutcome =
    | { readonly kind: "applied"; readonly files: readonly ChangedFile[] }
    /** Nothing was written: these files are no longer the ones reviewed. */
    | { readonly kind: "stale"; readonly paths: readonly string[] };

/** Writes reviewed changes, all files or none. */
export interface ChangeApplier {
    /** `announce` is told what is about to be written; what it throws prevents it. */
    apply(
        changeSet: ChangeSet,
        announce: (files: readonly ChangedFile[]) => Promise<void> | void
    ): Promise<ApplyOutcome>;
}

/** What a command would do, found out without running it. */
export interface ForeseenCommand {
    /** Without subject: `deletes build/ (14 files)`. */
    readonly consequences: readonly string[];
    /**
     * Keeps what would be lost, right before the command runs. What it resolves with is to be called
     * when that has ended, and says what was lost and is kept.
     */
    keep(): Promise<() => Promise<string | undefined>>;
}

/** When to stop although the model would go on. */
export interface TurnLimits {
    /** Most requests to the model. */
    readonly maxTurns?: number;
    /** Most US dollars for this turn. */
    readonly maxCostUsd?: number;
    /** The user is asked after each so many replies whether to continue. */
    readonly askAfterRequests?: number;
}

/** A message sent during the turn. */
export interface QueuedMessage {
    readonly message: Turn["message"];
    readonly notices: readonly string[];
    /** Takes it off the queue; `false` if it is no longer there. */
    take(): boolean;
}

/** What a request is made of. */
export interface RequestParts {
    readonly conversation: Conversation;
    readonly model: ModelInfo;
    readonly thinking: ThinkingChoice;
    readonly system: string;
    readonly schemas: readonly ToolSchema[];
    readonly mayPause?: boolean;
    /** For vendors that route caches by a key; the conversation's id if absent. */
    readonly cacheKey?: string;
}

/** Whom a request is sent to, and who hears of it and pays. */
export interface Requesting {
    readonly conversation: Conversation;
    readonly model: ModelInfo;
    readonly provider: Provider;
    readonly connection: ModelConnection;
    /** Stores a record, folds it into the conversation and tells the observers. */
    record(this: void, record: JournalRecord): void;
    /** Tells the observers what starts and finishes. */
    readonly observe?: (event: ObservedEvent) => void;
    readonly ledger: Pick<Ledger, "record">;
    /** Absent where nothing limits what is spent. */
    readonly budget?: Budget;
    readonly approver?: Approver;
    readonly edges: Edges;
    readonly signal: AbortSignal;
    readonly log: Log;
}

/** The files that tools read and change. */
interface Files {
    readonly workspace: SharedWorkspace;
    readonly applier: ChangeApplier;
    /** Keeps streamed files until they are in place. */
    readonly staging: Staging;
    /** Keeps what was there before each change. */
    readonly contents: ContentStore;
    /** Keeps a text for the user by its hash; `undefined` where that cannot be done. */
    keepText(text: string): Promise<string | undefined>;
    /** Says which of these files another session edited of late, a sentence each. */
    readonly editedElsewhere?: (paths: readonly string[]) => Promise<readonly string[]>;
    /** What the model is told of files it has touched, unless it was told before. */
    readonly contextFor?: (paths: readonly string[]) => Promise<readonly ContextPart[]>;
}

interface Commands {
    readonly shell: Shell;
    readonly jobs?: Jobs;
    /** Where commands run first; absent where they cannot. */
    readonly contained?: ContainedRuns;
    /** `folder` is the absolute one in which the command would run. */
    foresee(command: string, folder: string): Promise<ForeseenCommand>;
    /** Commands that count as checks beside those of common tools. */
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
    /** The settings' model for nested runs. */
    readonly nestedModel?: string;
    readonly isNested?: true;
}

/** Everything one turn works with. */
export interface Turn extends RequestParts, Requesting, Files, Commands, Nesting {
    readonly mode: Mode;
    readonly message: Pick<UserEntry, "text" | "content" | "context">;
    /** The next message that waits to go in; absent where nobody can send one. */
    readonly nextMessage?: () => Promise<QueuedMessage | undefined>;
    /** All tools; which of them the model is offered depends on the mode. */
    readonly tools: ReadonlyMap<string, Tool>;
    /** How the model reads results; text where absent. */
    readonly results?: ResultFormat;
    readonly checks?: Checks;
    readonly grants: Pick<
        Grants,
        "snapshot" | "allowCommand" | "suspendCommand" | "setAutomatic" | "allowKey"
    >;
    readonly runGrants: RunGrants;
    readonly limits: TurnLimits;
    sync(): Promise<void>;
    /** Removes what no model may see from a record. */
    clean?(record: JournalRecord): JournalRecord;
}

/** Why a turn was stopped from outside; the reason of the turn's signal. */
export class TurnStopped extends Error {
    constructor(readonly stopReason: "cancelled" | "timeout") {
        super(stopReason === "timeout" ? "Time limit reached." : "Cancelled.");
        this.name = "TurnStopped";
    }
}

/** The next request, as a turn sends it and as the status line counts it. */
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

/** Joins what usage events have reported: each field is the newest total. */
export function mergedUsage(before: Usage, later: Usage): Usage {
    const reported = Object.entries(later).filter(([, tokens]) => typeof tokens === "number");
    return { ...before, ...Object.fromEntries(reported) };
}

type NewEntry<Kind = Entry> = Kind extends Entry ? Omit<Kind, "id" | "at"> : never;

/** An entry of this moment. Its kind comes first in its line of the log: readers go by that. */
export function newEntry<Kind extends NewEntry>(edges: Pick<Edges, "id" | "now">, entry: Kind) {
    return { ...{ kind: entry.kind, id: edges.id(), at: edges.now() }, ...entry };
}
