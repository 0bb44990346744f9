import type { ChangeSet, Finding } from "./change-set.js";
import type { JsonObject } from "./json.js";
import type { Mode } from "./message.js";
import type { ToolResult } from "./tool.js";
import type { Workspace } from "./workspace.js";

/** A call with valid input. */
export interface CheckedCall {
    readonly callId: string;
    readonly tool: string;
    readonly approval: "none" | "write" | "shell" | "ask";
    readonly input: JsonObject;
}

/** What a check has to say. Silence approves nothing: permissions and reviews follow as ever. */
export interface Objection {
    /** Refuses, and why; shown to the user and read by the model. */
    readonly deny?: string;
    /** For the model. */
    readonly note?: string;
}

export interface CheckContext {
    readonly workspace: Workspace;
    readonly conversationId: string;
    readonly mode: Mode;
    /** Aborted on a cancel and when the time is up. */
    readonly signal: AbortSignal;
}

/**
 * Watches turns and may refuse, add and ask; it never approves, hides or writes. What it throws, and
 * taking longer than its limit, counts as having said nothing and costs the user one line.
 */
export interface Check {
    readonly name: string;
    /** Milliseconds per call; 5,000 unless told otherwise, at most 600,000. */
    readonly timeLimitMs?: number;
    /** A message of the user. If it is refused, nothing is sent. */
    beforeMessage?(text: string, context: CheckContext): Promise<Objection | undefined>;
    /** A call, before its tool runs and before anybody is asked. */
    beforeCall?(call: CheckedCall, context: CheckContext): Promise<Objection | undefined>;
    /** A change, shown with its review and told to the model. At most 20 findings count. */
    onProposal?(changeSet: ChangeSet, context: CheckContext): Promise<readonly Finding[]>;
    /** A call's result; a note is added to it. */
    afterCall?(
        call: CheckedCall & { readonly result: ToolResult },
        context: CheckContext
    ): Promise<Pick<Objection, "note"> | undefined>;
    /**
     * The end of a turn with the model's last answer. `continueWith` is sent to the model, which goes on;
     * at most 3 times a turn. `note` is shown to the user.
     */
    afterTurn?(
        answer: string,
        context: CheckContext
    ): Promise<{ readonly continueWith?: string; readonly note?: string } | undefined>;
}
