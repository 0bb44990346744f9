import { join } from "node:path";
import { messageOf } from "../../base/system-error.js";
import type { Check, CheckContext, CheckedCall, Finding } from "../../plugin/index.js";
import type { Policy } from "../../storage/policy.js";
import { meetsCondition } from "./hook-condition.js";
import { type CallEvent, callEvents } from "./hook-events.js";

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
        // A command's changes too, whose call names no file.
        async onProposal({ changes }) {
            const names = new Set(changes.flatMap(({ path, realPath = path }) => [path, realPath]));
            const findings: Finding[] = [];
            for (const name of names) {
                const event = { tool_name: "Edit", tool_input: { file_path: join(root, name) } };
                const rule = await metBy([event], policy.deny, root);
                if (rule === undefined) continue;
                const text = policy.refusal(rule);
                findings.push({ path: name, severity: "error", text, refuses: true });
            }
            return findings;
        },
    };
}

async function metRule(
    rules: readonly string[],
    root: string,
    call: CheckedCall,
    workspace: CheckContext["workspace"]
): Promise<string | undefined> {
    return metBy(await callEvents(call, workspace), rules, root);
}

async function metBy(
    events: readonly Pick<CallEvent, "tool_name" | "tool_input">[],
    rules: readonly string[],
    root: string
): Promise<string | undefined> {
    for (const rule of rules) {
        const meets = await Promise.all(events.map((event) => meetsCondition(rule, event, root)));
        if (meets.includes(true)) return rule;
    }
    return undefined;
}
