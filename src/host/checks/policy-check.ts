import { messageOf } from "../../base/system-error.js";
import type { Check, CheckContext, CheckedCall } from "../../plugin/index.js";
import type { Policy } from "../../storage/policy.js";
import { meetsCondition } from "./hook-condition.js";
import { callEvents } from "./hook-events.js";

/** Refuses what the policy's `deny` rules name; a call that cannot be judged too. */
export function policyCheck(policy: Policy, root: string): Check {
    return {
        name: "policy",
        async beforeCall(call, { workspace }) {
            try {
                const rule = await metRule(policy.deny, root, call, workspace);
                return rule === undefined ? undefined : { deny: `${policy.refusal(rule)}.` };
            } catch (error) {
                return { deny: `${policy.refusal("What cannot be judged")}: ${messageOf(error)}` };
            }
        },
    };
}

async function metRule(
    rules: readonly string[],
    root: string,
    call: CheckedCall,
    workspace: CheckContext["workspace"]
): Promise<string | undefined> {
    const events = await callEvents(call, workspace);
    for (const rule of rules) {
        const meets = await Promise.all(events.map((event) => meetsCondition(rule, event, root)));
        if (meets.includes(true)) return rule;
    }
    return undefined;
}
