import type { ChangeSet, Finding } from "./change-set.js";
import type { StartContained } from "./contained-process.js";
import type { JsonObject } from "./json.js";
import type { Mode } from "./message.js";
import type { EquivalentCall } from "./tool.js";
import type { ToolResult } from "./tool-result.js";
import type { Entry } from "./records.js";
import type { Workspace } from "./workspace.js";

/** A tool call whose input is valid. */
export interface CheckedCall {
    readonly callId: string;
    /** For a tool that calls another: the called tool. `input` is then that tool's input. */
    readonly tool: string;
    readonly approval: "none" | "write" | "shell" | "ask";
    readonly input: JsonObject;
    /** The equivalent calls of Claude Code's tools, one for each edit of a batch. */
    readonly equivalents?: readonly EquivalentCall[];
}

/** A check's response. No objection is not an approval: permissions and reviews still apply. */
export interface Objection {
    /** Refuses, for this reason; shown to the user and the model. */
    readonly deny?: string;
    /**
     * Before a call: asks the user, for this reason, even if approval is automatic. If nobody can be
     * asked, the call is refused.
     */
    readonly ask?: string;
    /** Added for the model. */
    readonly note?: string;
    /** Before and after a call: ends the turn, for this reason; shown to the user. */
    readonly stop?: string;
    /** Shown to the user. */
    readonly notice?: string;
}

export interface CheckContext {
    readonly workspace: Workspace;
    readonly conversationId: string;
    readonly mode: Mode;
    /** Starts a program for as long as the plugin needs it; absent if none can run contained. */
    readonly startContained?: StartContained;
    /** The conversation so far, oldest first. Absent outside a conversation. */
    readonly entries?: () => readonly Entry[];
    /** Aborts when the user cancels or the time limit is reached. */
    readonly signal: AbortSignal;
}

/** What a check may watch besides messages, calls and turns. */
export type WatchedEvent =
    /** Before the first message of a conversation in this run of North. */
    | {
          readonly type: "session-started";
          /** `clear` is a new conversation in the same run. */
          readonly source: "startup" | "resume" | "clear";
      }
    | { readonly type: "session-ended" }
    /** The beginning of the conversation is about to be replaced by a summary. */
    | { readonly type: "before-summary"; readonly trigger: "auto" | "manual" }
    /** A sub-agent has answered. */
    | { readonly type: "nested-run-ended"; readonly answer: string }
    /** North waits for the user. */
    | { readonly type: "waiting"; readonly message: string }
    /** The user is about to be asked; a `deny` answers in their place. */
    | {
          readonly type: "permission-asked";
          /** Names of the tool: `Bash`, `Edit`. */
          readonly tools: readonly string[];
          readonly input: JsonObject;
      };

/**
 * Watches turns. It may refuse, add notes and continue a turn, but never approves, hides or writes.
 * An error or a timeout counts as no objection and is reported to the user in one line.
 */
export interface Check {
    readonly name: string;
    /** Milliseconds per call; defaults to 5,000, at most 600,000. */
    readonly timeLimitMs?: number;
    /** Called with the user's message. If refused, nothing is sent. */
    beforeMessage?(text: string, context: CheckContext): Promise<Objection | undefined>;
    /** Called before a tool runs and before the user is asked. */
    beforeCall?(call: CheckedCall, context: CheckContext): Promise<Objection | undefined>;
    /**
     * Called with a proposed change. At most 20 findings are shown in the review and sent to the
     * model.
     */
    onProposal?(changeSet: ChangeSet, context: CheckContext): Promise<readonly Finding[]>;
    /** Called with a call's result; a note is added to it. */
    afterCall?(
        call: CheckedCall & { readonly result: ToolResult },
        context: CheckContext
    ): Promise<Pick<Objection, "note" | "notice" | "stop"> | undefined>;
    /** A note reaches the model with its next message if the session has just started. */
    onEvent?(event: WatchedEvent, context: CheckContext): Promise<Objection | undefined>;
    /**
     * Called with the model's last answer when a turn ends. `continueWith` is sent to the model,
     * which continues, at most 3 times per turn. `note` is shown to the user.
     */
    afterTurn?(
        answer: string,
        context: CheckContext
    ): Promise<{ readonly continueWith?: string; readonly note?: string } | undefined>;
}
