import path from "node:path";
import type { CheckContext, CheckedCall, JsonObject, JsonValue } from "../../plugin/index.js";
import { namesOfTool } from "../../plugin/tool-names.js";
import { resolveInside } from "../../workspace/safe-path.js";

/** A call as hooks written for Claude Code read it: https://code.claude.com/docs/en/hooks */
export interface CallEvent {
    readonly tool_name: string;
    readonly tool_use_id: string;
    readonly tool_input: JsonObject;
    /** North's own name of the tool. */
    readonly north_tool_name: string;
}

/**
 * One event for each edit of a batch. Paths are absolute and normalized, so that no spelling passes
 * a guard; a path through a link also comes as the place that it leads to.
 */
export async function callEvents(
    { callId, tool, input, equivalents = [] }: CheckedCall,
    workspace: CheckContext["workspace"]
): Promise<readonly CallEvent[]> {
    const whole = equivalents.length <= 1 ? input : {};
    const events: CallEvent[] = [];
    const known = new Set<string>();
    for (const equivalent of equivalents.length > 0 ? equivalents : [{ tool, input }]) {
        for (const given of await inEachSpelling(equivalent.input, workspace)) {
            const event = {
                tool_name: equivalent.tool,
                tool_use_id: callId,
                tool_input: { ...whole, ...given },
                north_tool_name: tool,
            };
            const text = JSON.stringify(event);
            if (!known.has(text)) events.push(event);
            known.add(text);
        }
    }
    return events;
}

/** Fields that hold a path, in all documented inputs. */
const PATHS = ["file_path", "path"] as const;

async function inEachSpelling(
    input: JsonObject,
    workspace: CheckContext["workspace"]
): Promise<readonly JsonObject[]> {
    const field = PATHS.find((name) => typeof input[name] === "string");
    if (field === undefined) return [input];
    const paths = await placesOf(input[field], workspace);
    return paths.map((path) => ({ ...input, [field]: path }));
}

async function placesOf(
    given: JsonValue | undefined,
    workspace: CheckContext["workspace"]
): Promise<readonly string[]> {
    const { root } = workspace;
    try {
        const relative = workspace.relative(String(given));
        const location = path.join(root, relative);
        const { absolute } = await resolveInside(root, relative);
        return absolute === location ? [location] : [location, absolute];
    } catch {
        // It leads outside, and the tool refuses it.
        return [path.resolve(root, String(given))];
    }
}

/** Whether a matcher is meant for a call: by North's name of the tool or by Claude Code's. */
export async function isMeant(
    matcher: string,
    { tool, approval, equivalents = [] }: CheckedCall
): Promise<boolean> {
    return matchesName(matcher, namesOfTool({ name: tool, approval, equivalents }));
}

/** Whether a matcher is meant for one of these names. */
export async function matchesName(matcher: string, names: readonly string[]): Promise<boolean> {
    if (matcher === "" || matcher === "*") return true;
    if (/^[\w\s,|-]+$/.test(matcher)) {
        return matcher.split(/[|,]/).some((name) => names.includes(name.trim()));
    }
    const { RE2JS } = await import("re2js");
    const pattern = RE2JS.compile(matcher);
    return names.some((name) => pattern.matcher(name).find());
}
