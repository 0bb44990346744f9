import type {
    JsonValue,
    ReviewEntry,
    StopReason,
    ToolError,
    ToolResultEntry,
    Usage,
    WebSearched,
} from "../../plugin/index.js";
import type { FileDiff } from "../diff/diff.js";
import type { Evidence } from "../history/evidence.js";

export type TurnStopReason =
    | Exclude<StopReason, "tool-calls" | "paused">
    | "cancelled"
    | "max-turns"
    | "max-cost"
    | "loop"
    | "timeout"
    | "error";

export interface NestedUsage {
    readonly usage: Usage;
    /** `null` if the price is unknown. */
    readonly costUsd: number | null;
}

export interface TurnOutcome {
    readonly stopReason: TurnStopReason;
    /** The text of the last assistant message. */
    readonly text: string;
    /** The answer as a value, if it had to fit a schema. */
    readonly structuredOutput?: JsonValue;
    readonly requests: number;
    readonly usage: Required<Usage>;
    /** `null` once the price of any request is unknown. */
    readonly costUsd: number | null;
    /** Absent if the turn edited nothing. */
    readonly evidence?: Evidence;
    /** Set with `error`, with a spent budget, and when the model did not finish. */
    readonly error?: unknown;
}

/** A turn's events in order, already stored. The last one is always a single `turn-finished`. */
export type AgentEvent =
    | { readonly type: "request-started"; readonly estimatedTokens: number }
    | { readonly type: "text-delta"; readonly text: string }
    | { readonly type: "thinking-delta"; readonly text: string }
    /** A block of thinking is complete; another may follow. */
    | { readonly type: "thinking-finished" }
    /** See the provider's event of this name; only in nested runs. */
    | WebSearched
    /** The text so far is complete; another block or a tool call follows. */
    | { readonly type: "text-finished" }
    | { readonly type: "tool-call-preparing"; readonly callId: string; readonly name: string }
    /** How much of a call's arguments has arrived; `path` is the first file they name. */
    | {
          readonly type: "tool-call-growing";
          readonly callId: string;
          readonly name: string;
          readonly path?: string;
          readonly lines: number;
      }
    | {
          readonly type: "tool-call-started";
          readonly callId: string;
          readonly name: string;
          readonly intent: string;
      }
    /** Text shown after the intent of a running call. */
    | { readonly type: "tool-call-noted"; readonly callId: string; readonly text: string }
    | ({ readonly type: "nested-usage" } & NestedUsage)
    | { readonly type: "tool-output-delta"; readonly callId: string; readonly text: string }
    | ({
          readonly type: "review-settled";
          readonly diffs?: readonly FileDiff[];
          /** The contained command that made the change. */
          readonly command?: string;
          /** Findings of checks in the change, one line each. */
          readonly findings?: readonly string[];
          /** How long the approval lasts, beyond this once. */
          readonly remember?: "session" | "always";
          /** What "always" remembers: `web_fetch:host:example.org`; only of a question that offers it. */
          readonly key?: string;
          /** Why the user had to be asked. */
          readonly alwaysAsks?: string;
          /** What a command could not do contained. */
          readonly needs?: string;
          /** The command ran contained before it was asked about. */
          readonly ranContained?: true;
      } & Pick<ReviewEntry, "callId" | "subject" | "status" | "decidedBy" | "reason" | "what">)
    /** A change was added to the draft. */
    | {
          readonly type: "change-drafted";
          readonly callId: string;
          readonly diffs: readonly FileDiff[];
          /** The contained command that made the change. */
          readonly command?: string;
      }
    | ({
          readonly type: "tool-call-finished";
          /** Number of stored lines above those in `display`. */
          readonly hiddenLines?: number;
          /** Progress of the turn's work; an empty text clears it. */
          readonly progress?: string;
          readonly error?: ToolError;
      } & Pick<
          ToolResultEntry,
          "callId" | "name" | "intent" | "ok" | "summary" | "display" | "durationMs"
      >)
    /** A streamed file grows; its content is not part of the text. */
    | {
          readonly type: "file-progress";
          readonly fileId: string;
          readonly path: string;
          readonly lines: number;
      }
    /** A streamed file was reviewed or refused; an earlier review has its id as `callId`. */
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
          /** `null` if the price is unknown. */
          readonly costUsd: number | null;
          /** Tokens of prompt and answer together: the current size of the context. */
          readonly contextTokens: number;
      }
    | {
          readonly type: "retry-scheduled";
          readonly attempt: number;
          readonly delayMs: number;
          readonly reason: string;
      }
    | { readonly type: "notice"; readonly text: string }
    /** A queued message of the user was delivered after a reply's calls. */
    | { readonly type: "message-delivered"; readonly text: string }
    | { readonly type: "turn-finished"; readonly outcome: TurnOutcome };

/** The result of work outside a turn; its notices are shown. */
export async function resultOf<Result>(
    events: AsyncGenerator<AgentEvent, Result>,
    tell: (text: string) => void
): Promise<Result> {
    for (;;) {
        const { value, done } = await events.next();
        if (done) return value;
        if (value.type === "notice") tell(value.text);
        if (value.type === "retry-scheduled") tell(value.reason);
    }
}

export type EventOf<Type extends AgentEvent["type"]> = Extract<AgentEvent, { type: Type }>;
