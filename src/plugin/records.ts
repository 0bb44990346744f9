import type { FileTypes } from "./change-set.js";
import type { ContextPart } from "./context.js";
import type { AssistantMessage, ImagePart, Mode, TextPart, ToolResultPart } from "./message.js";
import type { StopReason, ThinkingChoice, Usage } from "./provider.js";

/** The version of the log's format, written into its first record. */
export const LOG_VERSION = 1;

interface EntryBase {
    /** Unique in the conversation. */
    readonly id: string;
    /** Milliseconds since 1970. */
    readonly at: number;
}

/** Labels one part of a user message that carries project context. */
export interface ContextLabel extends Omit<ContextPart, "text"> {
    /** Index into the message's `content`. */
    readonly part: number;
}

export interface UserEntry extends EntryBase {
    readonly kind: "user";
    readonly mode: Mode;
    /** As typed; this is what the transcript shows. */
    readonly text: string;
    /** What the model receives: the text and everything sent with it, in order. */
    readonly content: readonly (TextPart | ImagePart)[];
    /** Labels for the parts of `content` that are project context. */
    readonly context?: readonly ContextLabel[];
}

/**
 * `streaming` at the end of a log means that the process died mid-reply; treat it as `interrupted`.
 * An interrupted reply directly followed by another reply was retried: only the second one is sent.
 */
export type AssistantStatus = "streaming" | "complete" | "cancelled" | "interrupted";

/** A reply. Updates append text while it streams; the last update holds the whole content. */
export interface AssistantEntry extends EntryBase {
    readonly kind: "assistant";
    readonly provider: string;
    readonly model: string;
    readonly status: AssistantStatus;
    readonly content: AssistantMessage["content"];
    readonly usage?: Usage;
    /** US dollars; absent if the price is unknown. */
    readonly costUsd?: number;
    readonly stopReason?: StopReason;
}

export interface ToolResultEntry extends EntryBase {
    readonly kind: "tool_result";
    readonly callId: string;
    readonly name: string;
    /** Compact JSON of `{ok, data | error}`. */
    readonly content: string;
    /** What the model reads instead of `content`; stored so that it never changes. */
    readonly text?: string;
    readonly media?: ToolResultPart["media"];
    readonly ok: boolean;
    readonly durationMs: number;
    readonly intent: string;
    readonly summary?: string;
    readonly display?: string;
    /** Content-store hash of the full output; `display` is its tail. */
    readonly wholeHash?: string;
    readonly reminder?: string;
    /** Context for the files this call touched; sent after `content`. */
    readonly notes?: readonly ContextPart[];
    /** File versions the model has seen (SHA-256 in hex); `null` means the file does not exist. */
    readonly observed?: readonly { readonly path: string; readonly hash: string | null }[];
    /** Set by the host after a command that ran nothing but checks. */
    readonly tested?: TestedTree;
}

/** Checks and what they ran on. */
export interface TestedTree {
    /** The git tree of the project's files, the same before and after. */
    readonly tree: string;
    /** What the exit code is the result of: `npm test`. */
    readonly checks: readonly string[];
    readonly exitCode: number;
}

/** `contained`: the user took a command's contained result instead of a real run. */
export type ReviewStatus = "approved" | "modified" | "contained" | "denied";

/**
 * Lines by file, counted from 1, as ranges: `{"src/a.ts": "1-4,9"}`. A path is relative to the root.
 */
export type LinesByFile = Readonly<Record<string, string>>;

/** A decision about a change, a command or a permission. */
export interface ReviewEntry extends EntryBase {
    readonly kind: "review";
    readonly callId: string;
    readonly subject: "write" | "shell" | "ask";
    readonly status: ReviewStatus;
    /** `policy`: a rule decided and nobody was asked. */
    readonly decidedBy: "user" | "policy";
    readonly remember?: "session" | "always";
    readonly reason?: string;
    /** The command, the question's key, or the paths of the change. */
    readonly what: string;
    /**
     * The added lines of an approved change that were fully on the screen before the user said yes,
     * by their line numbers in the new content. Absent if nobody was asked.
     */
    readonly shown?: LinesByFile;
}

/** One changed file, with what undo needs; contents are stored by hash. */
export interface ChangedFile extends FileTypes {
    /** Relative to the root. */
    readonly path: string;
    /** SHA-256 in hex; `null` if the file did not exist. */
    readonly beforeHash: string | null;
    /** SHA-256 in hex; `null` if the file was deleted. */
    readonly afterHash: string | null;
    /** Permission bits; absent if the file did not exist. */
    readonly modeBefore?: number;
    /** Permission bits; absent if the file was deleted. */
    readonly modeAfter?: number;
    /** Git ignores it: the output of a command, not an edit. */
    readonly isIgnored?: true;
}

/**
 * An applied change set. Stored as soon as the files are written, so that a cancel between the write
 * and the call's result cannot lose it.
 */
export interface ChangeEntry extends EntryBase {
    readonly kind: "change";
    /** The tool call behind it; absent for an undo. */
    readonly callId?: string;
    /** The command behind it: contained, or observed while it ran for real. */
    readonly command?: string;
    /** Ids of the changes that this one undoes. */
    readonly undoes?: readonly string[];
    /** Ids of the drafted changes that this one writes. */
    readonly applies?: readonly string[];
    readonly files: readonly ChangedFile[];
}

/** A change to the conversation's draft; the project is as before. */
export interface DraftedEntry extends Omit<ChangeEntry, "kind" | "applies"> {
    readonly kind: "drafted";
    /** These project files changed under the draft: `files` replace the draft's changes to them. */
    readonly isRebase?: true;
}

/** A note from North to the model between two replies; sent with the user role. */
export interface HostNoteEntry extends EntryBase {
    readonly kind: "host_note";
    readonly text: string;
    /** File versions the note contains. */
    readonly observed?: ToolResultEntry["observed"];
}

/** A slash command or `!command` of the user. The model sees only the output of a `!command`. */
export interface CommandEntry extends EntryBase {
    readonly kind: "command";
    readonly name: string;
    readonly argumentsText: string;
    /** For a `!command`: what the model receives. */
    readonly told?: string;
    /** Content-store hash of the full output, if the transcript shows only its tail. */
    readonly wholeHash?: string;
    /** Exit code of an `/until` command; `argumentsText` is that command. */
    readonly exitCode?: number;
}

export type Entry =
    | UserEntry
    | AssistantEntry
    | ToolResultEntry
    | ReviewEntry
    | ChangeEntry
    | DraftedEntry
    | HostNoteEntry
    | CommandEntry;

/** The fields an update of an assistant entry may change. */
export type AssistantChanges = Partial<
    Pick<AssistantEntry, "status" | "content" | "usage" | "costUsd" | "stopReason">
>;

/** The log that a fork continues. */
export interface ForkedFrom {
    readonly id: string;
    /** Length of the shared beginning, in bytes of that log. */
    readonly bytes: number;
}

/** What started a nested run. */
export interface NestedOrigin {
    /** The tool that started it, or `learn`. */
    readonly by: string;
    /** The conversation and the call that started it. */
    readonly parent?: string;
    readonly callId?: string;
}

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
          /** Only in a nested run. */
          readonly nested?: NestedOrigin;
          readonly at: number;
          /** Set in a fork: that log's records come before this one's. */
          readonly forkedFrom?: ForkedFrom;
      }
    | { readonly type: "conversation_named"; readonly name: string; readonly at: number }
    | { readonly type: "entry_added"; readonly entry: Entry }
    /** Written before the files; the change entry or `change_dropped` follows, barring a kill. */
    | { readonly type: "change_begun"; readonly change: ChangeEntry }
    | { readonly type: "change_dropped"; readonly id: string }
    | {
          readonly type: "entry_updated";
          readonly id: string;
          /** Text streamed since the last update. */
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
    /** The conversation continues in another folder. */
    | { readonly type: "root_changed"; readonly root: string; readonly at: number }
    | {
          readonly type: "rolling_summary_set";
          /** Replaces every entry before `keepFrom` (an entry id). */
          readonly summary: string;
          readonly keepFrom: string;
          /** The model returned no usable summary; this one was built from the log. */
          readonly withoutModel?: boolean;
          readonly at: number;
      }
    /** A request whose reply is no entry: for a summary, or a side question. */
    | {
          readonly type: "request_billed";
          readonly usage: Usage;
          /** US dollars; absent if the price is unknown. */
          readonly costUsd?: number;
          readonly at: number;
      }
    | { readonly type: "conversation_ended"; readonly at: number };
