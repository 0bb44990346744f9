import type { HostAccess } from "../../../base/host-traffic.js";
import { hostKey } from "../../approval/policy.js";
import { authorize } from "./authorize.js";
import { NOBODY_TO_ASK } from "./relay.js";
import type { RunningCall } from "./running-call.js";

/** Asks about each host that a contained command wants to reach, unless it is allowed. */
export function networkAccess(
    { turn, call: { callId }, outlet }: RunningCall,
    command: string
): HostAccess {
    return {
        async permit(host) {
            const sentence = `Let the contained command reach ${host}?`;
            const question = { sentence, details: command, key: hostKey(host) };
            try {
                const decision = await authorize(turn, { kind: "ask", callId, question }, outlet);
                if (decision.kind === "approve") return {};
                const isUnasked = decision.kind === "deny" && decision.reason === NOBODY_TO_ASK;
                return {
                    refused: isUnasked ? `not allowed; --allow-host ${host} allows it` : BY_USER,
                };
            } catch (error) {
                if (turn.signal.aborted) return { refused: "the turn was cancelled" };
                throw error;
            }
        },
    };
}

const BY_USER = "the user did not allow it";
