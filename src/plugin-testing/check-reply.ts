import type { ModelEvent, Usage } from "../plugin/index.js";
import { Problems } from "./contract-error.js";
import { isJson } from "./json.js";

const FIELDS = [
    "inputTokens",
    "cacheReadTokens",
    "cacheWriteTokens",
    "cacheWriteLongTokens",
    "outputTokens",
    "webSearches",
] as const;

/**
 * Checks the events of a complete reply: a single `stop` at the end, complete calls with unique
 * ids, and usage that only grows. Throws a `ContractError`.
 */
export function checkReply(events: readonly ModelEvent[]): void {
    const problems = new Problems("The reply");
    const stops = events.filter(({ type }) => type === "stop");
    problems.unless(stops.length === 1, `it has ${stops.length} stop events instead of one`);
    problems.unless(events.at(-1)?.type === "stop", "stop is not its last event");
    const calls = checkCalls(events, problems);
    const last = events.at(-1);
    if (last?.type === "stop") {
        problems.unless(
            (last.reason === "tool-calls") === calls > 0 || last.reason === "max-output",
            `it stops with ${last.reason} after ${calls} tool calls`
        );
    }
    checkUsage(events, problems);
    checkThinking(events, problems);
    problems.throwAny();
}

function checkCalls(events: readonly ModelEvent[], problems: Problems): number {
    const begun = new Map<string, string>();
    const complete = new Set<string>();
    for (const event of events) {
        if (event.type === "tool-call-start") begun.set(event.callId, event.name);
        if (event.type !== "tool-call") continue;
        const { callId, name, input, malformedInput } = event;
        problems.unless(callId !== "" && name !== "", "a call has no id or no name");
        problems.unless(!complete.has(callId), `the call id ${callId} appears twice`);
        problems.unless((begun.get(callId) ?? name) === name, `${callId} changed its name`);
        problems.unless(
            isJson(input) && typeof input === "object" && !Array.isArray(input),
            `the input of ${callId} is not a JSON object`
        );
        problems.unless(
            malformedInput === undefined || Object.keys(input).length === 0,
            `${callId} has both malformedInput and an input`
        );
        complete.add(callId);
    }
    const open = [...begun.keys()].filter((callId) => !complete.has(callId));
    problems.unless(open.length === 0, `calls started but never came: ${open.join(", ")}`);
    return complete.size;
}

function checkUsage(events: readonly ModelEvent[], problems: Problems): void {
    let before: Usage = {};
    for (const event of events) {
        if (event.type !== "usage") continue;
        for (const field of FIELDS) {
            const now = event.usage[field];
            if (now === undefined) continue;
            problems.unless(Number.isInteger(now) && now >= 0, `${field} is ${now}`);
            problems.unless(now >= (before[field] ?? 0), `${field} went down to ${now}`);
        }
        before = { ...before, ...event.usage };
    }
    const reported = events.flatMap((event) => (event.type === "web-search" ? event.queries : []));
    problems.unless(
        (before.webSearches ?? 0) === 0 || reported.length > 0,
        `it counts ${before.webSearches} searches of the web and reports no query`
    );
}

function checkThinking(events: readonly ModelEvent[], problems: Problems): void {
    let isOpen = false;
    for (const event of events) {
        if (event.type === "thinking") {
            isOpen = true;
        } else if (event.type === "thinking-end") {
            isOpen = false;
        } else if (event.type !== "usage") {
            problems.unless(!isOpen, `${event.type} comes before thinking has ended`);
            isOpen = false;
        }
    }
}
