import type { AttachmentRequest } from "../../core/context/attachments.js";
import type { Approver } from "../../core/approval/approver.js";

/** Asks the user about one file for this message. */
export function attachPermission(
    approver: Approver,
    signal: AbortSignal
): NonNullable<AttachmentRequest["permit"]> {
    return async (sentence) => {
        const question = { sentence, key: "" };
        const decision = await approver.decide(
            { kind: "ask", callId: "", question, isOnce: true },
            signal
        );
        return decision.kind === "approve";
    };
}
