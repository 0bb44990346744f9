import type { FileChange } from "./change-set.js";
import type { ContextKind, ContextPart } from "./context.js";
import type { AssistantMessage, ImagePart, TextPart } from "./message.js";
import type { StopReason, ThinkingChoice, Usage } from "./provider.js";
import type { Mode } from "./mode.js";

/** The version of the log's format, written into its first record. */
export const LOG_VERSION = 1;

interface EntryBase {
    /** Unique in the conversation. */
    readonly id: string;
    /** Milliseconds since 1970. */
    readonly at: number;
}

/** Which part of a user message tells something of the project, and what. */
export interface ContextLabel {
    /** Its place in the message's content. */
    readonly part: number;
    readonly kind: ContextKind;
    readonly id: string;
}

/** What the user sent. */
export interface UserEntry extends EntryBase {
    readonly kind: "user";
    readonly mode: Mode;
    /** As typed; shown. */
    readonly text: string;
    /** What the model gets: the text and all that travels with it, in order. */
    readonly content: readonly (TextPart | ImagePart)[];
    /** What of `content` is neither typed nor a reminder. */
    readonly context?: readonly ContextLabel[];
}

/**
 * `streaming` at the end of a log means that the process died while the reply came in; it counts as
 * `interrupted`. An interrupted reply that another reply follows directly was retried: the second
 * takes its place and the first is not sent.
 */
export type AssistantStatus = "streaming" | "complete" | "cancelled" | "interrupted";

/** A reply; the text grows by updates while it streams, the last update holds the whole. */
export interface AssistantEntry extends EntryBase {
    readonly kind: "assistant";
    readonly provider: string;
    readonly model: string;
    readonly status: AssistantStatus;
    readonly content: AssistantMessage["content"];
    readonly usage?: Usage;
    /** Absent where the price is unknown. */
    readonly costUsd?: number;
    readonly stopReason?: StopReason;
}

/** The result of one call, as the model reads it. */
export interface ToolResultEntry extends EntryBase {
    readonly kind: "tool_result";
    readonly callId: string;
    readonly name: string;
    /** Compact JSON of `{ok, data | error}`. */
    readonly content: string;
    readonly ok: boolean;
    readonly durationMs: number;
    readonly intent: string;
    readonly summary?: string;
    readonly display?: string;
    /** All of what `display` is the end of, in the content store. */
    readonly wholeHash?: string;
    readonly reminder?: string;
    /** What the model is told of the files that were touched; sent after `content`. */
    readonly notes?: readonly ContextPart[];
    /** Versions of files that the model has now seen; a hash of `null` means there is no file. */
    readonly observed?: readonly { readonly path: string; readonly hash: string | null }[];
}

/** How a question was settled. */
export type ReviewStatus = "approved" | "modified" | "denied";

/** A decision about a change, a command or a permission. */
export interface ReviewEntry extends EntryBase {
    readonly kind: "review";
    readonly callId: string;
    readonly subject: "write" | "shell" | "ask";
    readonly status: ReviewStatus;
    /** `user` was asked; `policy` was not needed to ask. */
    readonly decidedBy: "user" | "policy";
    /** `all`, every command of the project, is in logs of North 0.x only. */
    readonly remember?: "session" | "always" | "all";
    readonly reason?: string;
    /** The command, the question's key, or the paths of the change. */
    readonly what: string;
}

/** One file that was changed: what it takes to put it back, its content being kept by hash. */
export interface ChangedFile {
    /** Relative to the root. */
    readonly path: string;
    /** A file if absent. */
    readonly type?: FileChange["type"];
    /** SHA-256 in hex; `null` where there was no file. */
    readonly beforeHash: string | null;
    /** SHA-256 in hex; `null` where there is no file any more. */
    readonly afterHash: string | null;
    /** Permission bits; absent where there was no file. */
    readonly modeBefore?: number;
    /** Permission bits; absent where there is no file any more. */
    readonly modeAfter?: number;
}

/**
 * A change set that was applied. It is an entry of its own, written the moment the files are, so that
 * it is there also where a cancel comes between the change and the result of the call.
 */
export interface ChangeEntry extends EntryBase {
    readonly kind: "change";
    /** The call that made it; absent for what the user took back. */
    readonly callId?: string;
    /** Ids of the changes that this one takes back. */
    readonly undoes?: readonly string[];
    readonly files: readonly ChangedFile[];
}

/** What North tells the model between two replies; sent as a message of the user's side. */
export interface HostNoteEntry extends EntryBase {
    readonly kind: "host_note";
    readonly text: string;
    /** Versions of files that the model now knows. */
    readonly observed?: ToolResultEntry["observed"];
}

/** A slash command the user gave; never sent to a model, but for what a command of the shell did. */
export interface CommandEntry extends EntryBase {
    readonly kind: "command";
    readonly name: string;
    readonly argumentsText: string;
    /** Of a shell command of the user's own (`!`): what the model is told of it. */
    readonly told?: string;
    /** Its whole output in the content store, where the transcript shows only the end. */
    readonly wholeHash?: string;
}

export type Entry =
    | UserEntry
    | AssistantEntry
    | ToolResultEntry
    | ReviewEntry
    | ChangeEntry
    | HostNoteEntry
    | CommandEntry;

/** What an update of an assistant entry may change. */
export type AssistantChanges = Partial<
    Pick<AssistantEntry, "status" | "content" | "usage" | "costUsd" | "stopReason">
>;

/** One line of a conversation's log. */
export type JournalRecord =
    | {
          readonly type: "conversation_started";
          readonly version: number;
          readonly id: string;
          readonly root: string;
          /** First 16 hex digits of the SHA-256 of the root. */
          readonly rootHash: string;
          readonly provider: string;
          readonly model: string;
          readonly at: number;
      }
    | { readonly type: "entry_added"; readonly entry: Entry }
    /** Follows at once: the same change as an entry, or that it was dropped; unless a kill came. */
    | { readonly type: "change_begun"; readonly change: ChangeEntry }
    | { readonly type: "change_dropped"; readonly id: string }
    | {
          readonly type: "entry_updated";
          readonly id: string;
          /** Text that has streamed in since the last update. */
          readonly appendText?: string;
          readonly changes?: AssistantChanges;
      }
    | {
          readonly type: "model_changed";
          readonly provider: string;
          readonly model: string;
          readonly at: number;
      }
    | ({ readonly type: "thinking_changed"; readonly at: number } & ThinkingChoice)
    /** The conversation goes on in another folder. */
    | { readonly type: "root_changed"; readonly root: string; readonly at: number }
    | {
          readonly type: "rolling_summary_set";
          /** What stands in for everything before the entry `keepFrom`. */
          readonly summary: string;
          readonly keepFrom: string;
          /** The model gave no usable summary; this one is made of the facts in the log. */
          readonly withoutModel?: boolean;
          readonly at: number;
      }
    | { readonly type: "conversation_ended"; readonly at: number };
