import type { StopReason, ToolError, Usage } from "../../plugin/index.js";
import type { FileDiff } from "../approval/approver.js";
import type { ReviewStatus } from "../../plugin/records.js";

/** Why a turn ended. */
export type TurnStopReason =
    | Exclude<StopReason, "tool-calls" | "paused">
    | "cancelled"
    | "max-turns"
    | "max-cost"
    | "timeout"
    | "error";

/** What a turn did. */
export interface TurnOutcome {
    readonly stopReason: TurnStopReason;
    /** The text of the last assistant message. */
    readonly text: string;
    /** Requests sent. */
    readonly requests: number;
    readonly usage: Required<Usage>;
    /** `null` as soon as one request's price is unknown. */
    readonly costUsd: number | null;
    /** With `error`, with `max-cost` where a budget is spent, and where the model did not finish. */
    readonly error?: unknown;
}

/**
 * What a turn tells its consumer, in order. Everything told is already stored. The last event is
 * always one `turn-finished`.
 */
export type AgentEvent =
    | { readonly type: "request-started"; readonly estimatedTokens: number }
    | { readonly type: "text-delta"; readonly text: string }
    | { readonly type: "thinking-delta"; readonly text: string }
    /** A block of thinking is complete; another one may follow. */
    | { readonly type: "thinking-finished" }
    /** The reply's text so far is complete; what follows is another block or a tool. */
    | { readonly type: "text-finished" }
    | { readonly type: "tool-call-preparing"; readonly callId: string; readonly name: string }
    | {
          readonly type: "tool-call-started";
          readonly callId: string;
          readonly name: string;
          readonly intent: string;
      }
    | { readonly type: "tool-output-delta"; readonly callId: string; readonly text: string }
    | {
          readonly type: "review-settled";
          readonly callId: string;
          readonly subject: "write" | "shell" | "ask";
          readonly status: ReviewStatus;
          readonly decidedBy: "user" | "policy";
          readonly what: string;
          readonly diffs?: readonly FileDiff[];
          /** What was approved beyond this once. */
          readonly remember?: "session" | "always";
          /** Why it was denied. */
          readonly reason?: string;
      }
    | {
          readonly type: "tool-call-finished";
          readonly callId: string;
          readonly name: string;
          readonly intent: string;
          readonly ok: boolean;
          readonly summary?: string;
          readonly display?: string;
          /** Lines before those of `display` that are only kept. */
          readonly hiddenLines?: number;
          readonly error?: ToolError;
          readonly durationMs: number;
      }
    /** A streamed file grows; nothing of it is in the text. */
    | {
          readonly type: "file-progress";
          readonly fileId: string;
          readonly path: string;
          readonly lines: number;
      }
    /** A streamed file was reviewed, or refused; a review before it has its id as `callId`. */
    | {
          readonly type: "file-finished";
          readonly fileId: string;
          readonly path: string;
          readonly ok: boolean;
          readonly lines: number;
          readonly error?: ToolError;
      }
    | {
          readonly type: "usage-reported";
          readonly usage: Usage;
          /** `null`: unknown price. */
          readonly costUsd: number | null;
          /** Tokens of the prompt and the answer together: what the context now holds. */
          readonly contextTokens: number;
      }
    | {
          readonly type: "retry-scheduled";
          readonly attempt: number;
          readonly delayMs: number;
          readonly reason: string;
      }
    | { readonly type: "notice"; readonly text: string }
    | { readonly type: "turn-finished"; readonly outcome: TurnOutcome };
