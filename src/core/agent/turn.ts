import type {
    ChangedFile,
    ChangeSet,
    Mode,
    ModelConnection,
    ModelInfo,
    ModelRequest,
    Provider,
    Shell,
    ThinkingChoice,
    Tool,
    ToolSchema,
    Usage,
    Workspace,
} from "../../plugin/index.js";
import type { Approver } from "../approval/approver.js";
import type { ContainedRuns } from "../approval/contained-runs.js";
import type { Grants } from "../approval/grants.js";
import type { RunGrants } from "../approval/policy.js";
import type { ContextPart } from "../../plugin/index.js";
import type { ContentStore } from "../conversation/content-store.js";
import type { Conversation } from "../conversation/fold.js";
import type { JournalRecord, UserEntry } from "../../plugin/records.js";
import type { Budget } from "../costs/budget.js";
import type { Ledger } from "../costs/ledger.js";
import type { Staging } from "../files/staging.js";
import type { Log } from "../log.js";
import { thinkingFor } from "../registry/thinking.js";

/** Clock, ids and randomness; injected, so that tests control them. */
export interface Edges {
    /** Milliseconds since 1970. */
    now(): number;
    /** A new id, unique in the conversation. */
    id(): string;
    /** A number from 0 up to 1. */
    random(): number;
    /** Rejects with the signal's reason on an abort. */
    sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
}

/** The repository for all calls of a turn, which may run in parallel. */
export interface SharedWorkspace extends Workspace {
    /**
     * The repository for one call: `permitSecret` is asked before a secret file is read, `onFile`
     * is called with each file that was read or searched by itself.
     */
    readBy(reader: {
        permitSecret(path: string): Promise<boolean>;
        onFile?(path: string): void;
    }): Workspace;
}

export type ApplyOutcome =
    | { readonly kind: "applied"; readonly files: readonly ChangedFile[] }
    /** Nothing was written: these files differ from the reviewed ones. */
    | { readonly kind: "stale"; readonly paths: readonly string[] };

/** Writes reviewed changes, all files or none. */
export interface ChangeApplier {
    /** `announce` receives the changes before they are written; an error prevents the write. */
    apply(
        changeSet: ChangeSet,
        announce: (files: readonly ChangedFile[]) => void
    ): Promise<ApplyOutcome>;
}

/** Limits that stop a turn early. */
export interface TurnLimits {
    /** Maximum number of requests. */
    readonly maxTurns?: number;
    /** Maximum US dollars for this turn. */
    readonly maxCostUsd?: number;
}

/** The parts of a request. */
export interface RequestParts {
    readonly conversation: Conversation;
    readonly model: ModelInfo;
    readonly thinking: ThinkingChoice;
    readonly system: string;
    readonly schemas: readonly ToolSchema[];
}

/** Everything a turn works with. */
export interface Turn extends RequestParts {
    /** Stores a record, folds it into the conversation and notifies the observers. */
    record(record: JournalRecord): void;
    /** Flushes the log to disk. */
    sync(): Promise<void>;
    readonly provider: Provider;
    readonly connection: ModelConnection;
    readonly mode: Mode;
    /** All tools; the mode decides which of them the model is offered. */
    readonly tools: ReadonlyMap<string, Tool>;
    readonly workspace: SharedWorkspace;
    readonly shell: Shell;
    /** Where commands run first; absent where they cannot. */
    readonly contained?: ContainedRuns;
    readonly applier: ChangeApplier;
    /** Holds streamed files until they are applied. */
    readonly staging: Staging;
    /** Stores the content of files before each change. */
    readonly contents: ContentStore;
    /** Stores a text and returns its hash; `undefined` if it cannot be stored. */
    keepText(text: string): Promise<string | undefined>;
    readonly grants: Grants;
    readonly runGrants: RunGrants;
    readonly approver?: Approver;
    readonly limits: TurnLimits;
    /** Absent if spending is unlimited. */
    readonly budget?: Budget;
    readonly ledger: Ledger;
    readonly log: Log;
    readonly edges: Edges;
    readonly signal: AbortSignal;
    /** The user's message. */
    readonly message: Pick<UserEntry, "text" | "content" | "context">;
    /** Context for touched files, unless the model already has it. */
    readonly contextFor?: (paths: readonly string[]) => Promise<readonly ContextPart[]>;
}

/** Why a turn was stopped from outside; the reason of the turn's signal. */
export class TurnStopped extends Error {
    constructor(readonly stopReason: "cancelled" | "timeout") {
        super(stopReason === "timeout" ? "The time limit was reached." : "Cancelled.");
        this.name = "TurnStopped";
    }
}

/** Builds the next request, for the turn and for the status line's count. */
export function requestOf({
    model,
    system,
    schemas,
    conversation,
    thinking,
}: RequestParts): ModelRequest {
    return {
        model,
        system,
        tools: schemas,
        messages: conversation.messages,
        maxOutputTokens: model.maxOutputTokens,
        ...thinkingFor(model, thinking),
        conversationId: conversation.id,
    };
}

/** Merges usage events: each field takes its newest total. */
export function mergedUsage(before: Usage, later: Usage): Usage {
    return { ...before, ...Object.fromEntries(Object.entries(later).filter(isReported)) };
}

function isReported([, tokens]: [string, unknown]): boolean {
    return typeof tokens === "number";
}
