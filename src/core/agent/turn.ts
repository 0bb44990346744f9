import type { Once } from "../../base/once.js";
import type {
    ChangedFile,
    ChangeSet,
    ContextPart,
    DropConflict,
    Entry,
    Jobs,
    Mode,
    ModelRequest,
    NestedOrigin,
    NestedRun,
    NestedRunOptions,
    Recall,
    SentParts,
    Tool,
    ToolSchema,
    UserEntry,
    WebSearch,
    Workspace,
} from "../../plugin/index.js";
import type { Checks } from "./checks.js";
import type { NestedUsage } from "./events.js";
import type { Approver } from "../approval/approver.js";
import type { ContainedOutputs, ContainedRuns, TurnShell } from "../approval/contained-runs.js";
import type { Grants } from "../approval/grants.js";
import type { RunGrants } from "../approval/policy.js";
import type { ContentStore } from "../conversation/content-store.js";
import type { Conversation } from "../conversation/fold.js";
import type { ConversationLog } from "../conversation/conversation-log.js";
import type { ReadChecks } from "../history/evidence.js";
import type { ResultFormat } from "./calls/outputs.js";
import type { Staging } from "../files/staging.js";
import type { Log } from "../log.js";
import type { ModelHandle } from "./model-handle.js";
import type { StoredView, View } from "../draft/view.js";
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
    /** The repository with the changes of a view, which may be another one at each call. */
    inView(source: { view(): View; readonly contents: Pick<ContentStore, "get"> }): SharedWorkspace;
}

export type ApplyOutcome =
    | { readonly kind: "applied"; readonly files: readonly ChangedFile[] }
    /** Nothing was written: these files have changed since the review. */
    | { readonly kind: "stale"; readonly paths: readonly string[] };

/** Writes reviewed changes, all files or none. */
export interface ChangeApplier {
    /** Sets each change's real path (in a view), and what runs it later. Rejects like `apply`. */
    resolve(changeSet: ChangeSet, view?: StoredView): Promise<ChangeSet>;
    /** Calls `announce` with what is about to be written; if it throws, nothing is written. */
    apply(
        changeSet: ChangeSet,
        announce: (files: readonly ChangedFile[]) => Promise<void> | void
    ): Promise<ApplyOutcome>;
}

/** What a command would do, determined without running it. */
export interface CommandForecast {
    /** Clauses without a subject: `deletes build/ (14 files)`. */
    readonly consequences: readonly string[];
    /** Why it is known to fail contained: a sentence without its full stop. */
    readonly needs?: string | undefined;
    /** Why it fails where no host is reached: a sentence without its full stop. */
    readonly network?: string | undefined;
    /**
     * Saves what would be lost, right before the command runs. Resolves to a function to call when
     * the command has ended, which says what was lost and saved.
     */
    backUp(): Promise<() => Promise<string | undefined>>;
}

/** Limits that stop a turn before the model is done. */
export interface TurnLimits {
    /** Max requests to the model. */
    readonly maxTurns?: number;
    readonly maxCostUsd?: number;
    /** What is left for this turn and others together, at this moment; at 0 it stops. */
    readonly costLeftUsd?: () => number;
    /** Asks the user whether to continue each time this many replies have arrived. */
    readonly askAfterRequests?: number;
}

/** A message sent during the turn. */
export interface QueuedMessage {
    readonly message: NonNullable<TurnRequest["message"]>;
    readonly notices: readonly string[];
    /** Removes it from the queue; `false` if it is no longer there. */
    take(): boolean;
}

/** The conversation that a turn adds to. Records are stored without what models must not see. */
export type OpenConversation = Pick<
    ConversationLog,
    "state" | "isOpen" | "record" | "observe" | "sync"
>;

export interface Secrets {
    /** The text without secrets. */
    text(text: string): string;
    /** The user lets the model read this file; relative to the root. */
    release(file: string): void;
}

/** The draft as changes to the current project. */
export interface RebasedDraft {
    readonly changeSet: ChangeSet;
    /** The same as records. */
    readonly files: readonly ChangedFile[];
    /** Files that others changed underneath, with those changes merged in. */
    readonly merged: readonly string[];
    /** Changes to the same lines: of these files the change set has both, between markers. */
    readonly conflicts: readonly DropConflict[];
}

export interface DraftPlace {
    /** Writes to the project itself. */
    readonly applier: ChangeApplier;
    /** Rejects with `object-missing`. */
    rebase(view: View): Promise<RebasedDraft>;
    /** When a file that git does not ignore last changed; milliseconds since 1970. */
    lastChangeAt(): Promise<number>;
    /** What the turns since an entry have cost in US dollars; `null` if a price is unknown. */
    costSince?(entry: number): Promise<number | null>;
    /** What its commands built where git ignores it, until it is released. */
    outputs(): Promise<ContainedOutputs>;
    /** What they built before is gone; milliseconds since 1970. */
    readonly outputsSince: number;
}

export interface TurnProject {
    readonly workspace: SharedWorkspace;
    readonly secrets?: Secrets;
    readonly applier: ChangeApplier;
    /** In draft mode, where `workspace` and `contained` see the draft and `applier` adds to it. */
    readonly draft?: DraftPlace;
    /** The same project in the draft of another conversation. */
    readonly drafted?: (
        drafting: Pick<Conversation, "id" | "draft">
    ) => TurnProject & { readonly draft: DraftPlace };
    /** Stores file contents from before each change. */
    readonly contents: ContentStore;
    readonly grants: Pick<
        Grants,
        | ("snapshot" | "changes" | "setAutomatic" | "allowKey")
        | ("allowCommand" | "allowedSince" | "renewCommand")
    >;
    readonly shell: TurnShell;
    readonly jobs?: Jobs;
    /** Where commands run first; absent if they cannot run contained. */
    readonly contained?: ContainedRuns;
    /** `folder`: the absolute path of the folder it would run in. */
    forecast(command: string, folder: string): Promise<CommandForecast>;
    /** Finds the tests, lints, type checks and builds in a command line. */
    readonly readChecks: ReadChecks;
    /** Throws `folder-gone`: without the folder each call would fail in its own, untrue words. */
    assertFolder?(): void;
    /** The git tree of the project's files now; `undefined` if it is unknown. */
    gitTree?(): Promise<string | undefined>;
    /** Stores a text for the user and resolves to its hash; `undefined` if that fails. */
    storeOutput(text: string): Promise<string | undefined>;
    /** Which of these files another conversation edited recently. */
    readonly editedElsewhere?: (paths: readonly string[]) => Promise<readonly RecentEdit[]>;
    readonly recall?: Recall;
    /** Context for files the model has touched, unless already sent. */
    readonly contextFor?: (
        paths: readonly string[],
        sent: SentParts
    ) => Promise<readonly ContextPart[]>;
}

/** A file whose last edit came from another conversation. */
export interface RecentEdit {
    /** `a.ts was edited by conversation 9f2c1a, 40s ago`. */
    readonly text: string;
    /** That conversation is still open, or this one has not read the file since. */
    readonly isNews: boolean;
}

/** The person at the terminal or in an editor. */
export interface User {
    readonly approver: Approver;
    /** The next queued message; absent if none can be queued. */
    readonly nextMessage?: () => Promise<QueuedMessage | undefined>;
}

export interface TurnSettings {
    readonly mode: Mode;
    readonly limits: TurnLimits;
    /** How the model gets results; defaults to text. */
    readonly results?: ResultFormat;
    /** The configured model for nested runs. */
    readonly nestedModel?: string;
    /** The user lets vendors search the web. */
    readonly allowsWebSearch?: boolean;
    readonly isNested?: true;
}

/** What a turn sends, besides the conversation so far. */
export interface TurnRequest {
    /** Absent if the turn continues one that a kill or a cancel interrupted, or reviews the draft. */
    readonly message?: Pick<UserEntry, "text" | "content" | "context">;
    /** The turn only reviews the draft, unless the model is to resolve its conflicts. */
    readonly isDraftReview?: boolean;
    readonly system: string;
    /** All tools; the mode decides which are offered to the model. */
    readonly tools: ReadonlyMap<string, Tool>;
    readonly schemas: readonly ToolSchema[];
    /** A person may pause between messages. */
    readonly hasPauses?: boolean;
    /** For vendors that route caches by a key; defaults to the conversation's id. */
    readonly cacheKey?: string;
    readonly webSearch?: WebSearch;
}

/** What a nested run may do besides reading. */
export interface NestedWriting {
    /** What it starts from; its changes are added in a draft of its own. */
    readonly base: View;
    /** The instructions for working here that the conversation was sent. */
    readonly instructions: readonly ContextPart[];
    /** Who is asked on its behalf; absent if nobody can be. */
    readonly user?: Pick<User, "approver"> | undefined;
}

/** `view`: of a run that may write, the base with its changes. */
export type EndedRun = NestedRun & { readonly view?: View };

/** Rejects only with the reason of the turn's signal. */
export type RunNested = (
    options: NestedRunOptions,
    origin: Omit<NestedOrigin, "parent">,
    tell: (usage: NestedUsage) => void,
    writing?: NestedWriting
) => Promise<EndedRun>;

/** What lasts from turn to turn, and ends with the session. */
export interface SessionMemory {
    readonly runGrants: RunGrants;
    /** Notices that the user sees once. */
    readonly once: Once;
}

/** Everything that one turn works with. `turn/run-turn.ts` runs it. */
export interface Turn {
    readonly conversation: OpenConversation;
    /** The chosen one, or the fallback that took its place. */
    model: ModelHandle;
    readonly project: TurnProject;
    /** Absent where nobody can be asked: in print mode and in nested runs. */
    readonly user?: User;
    readonly settings: TurnSettings;
    request: TurnRequest;
    readonly checks?: Checks;
    /** Holds streamed files until they are applied. */
    readonly staging: Staging;
    /** Runs the model for a tool; absent in a nested run. */
    readonly nested?: RunNested;
    readonly session: SessionMemory;
    readonly runtime: Runtime;
    readonly log: Log;
    readonly signal: AbortSignal;
}

export type ModelAccess = Pick<
    Turn,
    "conversation" | "model" | "user" | "runtime" | "log" | "signal"
> &
    Partial<Pick<Turn, "request">>;

/** Why a turn was stopped from outside; used as the reason of the turn's signal. */
export class TurnStopped extends Error {
    constructor(readonly stopReason: "cancelled" | "timeout") {
        super(stopReason === "timeout" ? "Time limit reached." : "Cancelled.");
        this.name = "TurnStopped";
    }
}

export interface RequestParts {
    readonly conversation: Pick<OpenConversation, "state">;
    readonly model: Pick<ModelHandle, "info" | "thinking">;
    readonly request: Pick<
        TurnRequest,
        "system" | "schemas" | "hasPauses" | "cacheKey" | "webSearch"
    >;
}

/** Builds the next request, for sending and for the status line's estimate. */
export function requestOf({
    conversation: { state },
    model: { info: model, thinking },
    request: { system, schemas, hasPauses, cacheKey = state.id, webSearch },
}: RequestParts): ModelRequest {
    return {
        model,
        system,
        tools: schemas,
        messages: state.messages,
        maxOutputTokens: model.maxOutputTokens,
        ...thinkingFor(model, thinking),
        ...(hasPauses ? { hasPauses: true } : {}),
        ...(webSearch && { webSearch }),
        conversationId: cacheKey,
    };
}

export interface Recording {
    readonly conversation: Pick<OpenConversation, "record">;
    readonly runtime: Pick<Runtime, "now" | "id">;
}

type NewEntry<Kind = Entry> = Kind extends Entry ? Omit<Kind, "id" | "at"> : never;

/** Records an entry with the current time. */
export function addEntry({ conversation, runtime }: Recording, entry: NewEntry): void {
    conversation.record({ type: "entry_added", entry: newEntry(runtime, entry) });
}

/** Creates an entry with the current time. Readers rely on `kind` coming first in its log line. */
export function newEntry<Kind extends NewEntry>(runtime: Recording["runtime"], entry: Kind) {
    return { ...{ kind: entry.kind, id: runtime.id(), at: runtime.now() }, ...entry };
}
