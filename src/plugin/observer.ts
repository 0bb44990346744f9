import type { Mode } from "./message.js";
import type { StopReason, Usage } from "./provider.js";
import type { JournalRecord } from "./records.js";

/** The conversation an event belongs to. */
export interface EventOrigin {
    readonly conversationId: string;
    /** The call that started it, if this is a nested run of a tool. */
    readonly parent?: { readonly conversationId: string; readonly callId: string };
}

/**
 * A start or a finish, without contents, which are in the records. Every start is followed by
 * exactly one finish with the same id, unless the process is killed.
 */
export type ObservedEvent = {
    /** Milliseconds since 1970. */
    readonly at: number;
} & (
    | { readonly type: "turn-started"; readonly turnId: string; readonly mode: Mode }
    | {
          readonly type: "turn-finished";
          readonly turnId: string;
          /** `end` if the model answered, else what stopped the turn. */
          readonly stopReason: string;
          /** Requests, tokens and US dollars of the turn, including nested runs. */
          readonly requests: number;
          readonly usage: Usage;
          /** `null` if a price is unknown. */
          readonly costUsd: number | null;
          readonly errorCode?: string;
      }
    /** Includes summary requests. Each retry is a request of its own. */
    | {
          readonly type: "request-started";
          readonly requestId: string;
          readonly provider: string;
          readonly model: string;
      }
    | {
          readonly type: "request-finished";
          readonly requestId: string;
          readonly usage: Usage;
          readonly costUsd: number | null;
          /** Absent if the reply was cut short. */
          readonly stopReason?: StopReason;
          readonly errorCode?: string;
      }
    | { readonly type: "tool-call-started"; readonly callId: string; readonly tool: string }
    | {
          readonly type: "tool-call-finished";
          readonly callId: string;
          readonly tool: string;
          readonly ok: boolean;
          readonly errorCode?: string;
      }
);

/** Watches conversations and changes nothing. Errors are contained and logged. */
export interface Observer {
    readonly name: string;
    /** Called with each record after it is stored. */
    observe?(record: JournalRecord, origin: EventOrigin): void;
    /** Called when a turn, a request or a tool call starts or finishes. */
    onEvent?(event: ObservedEvent, origin: EventOrigin): void;
}
