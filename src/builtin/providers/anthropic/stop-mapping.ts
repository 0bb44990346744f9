import type { RefusalStopDetails, StopReason as VendorReason } from "@anthropic-ai/sdk/resources";
import type { ModelEvent, StopReason } from "../../../plugin/index.js";

// https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons

const REASONS: Readonly<Record<VendorReason, StopReason>> = {
    end_turn: "end",
    stop_sequence: "end",
    tool_use: "tool-calls",
    max_tokens: "max-output",
    model_context_window_exceeded: "context-overflow",
    pause_turn: "paused",
    refusal: "refused",
};

/** The last event of a reply. A reason this version does not know ends the turn and is named. */
export function toStop(reason: VendorReason, details: RefusalStopDetails | null): ModelEvent {
    if (!Object.hasOwn(REASONS, reason)) return { type: "stop", reason: "end", detail: reason };
    const detail = details?.explanation ?? details?.category ?? undefined;
    return { type: "stop", reason: REASONS[reason], ...(detail === undefined ? {} : { detail }) };
}
