import { jsonIn } from "../../../base/fields.js";
import type { ModelEvent } from "../../../plugin/index.js";
import type { AgentEvent } from "../events.js";

type Start = Extract<ModelEvent, { type: "tool-call-start" }>;
type Delta = Extract<ModelEvent, { type: "tool-call-delta" }>;

interface GrowingCall {
    readonly name: string;
    path?: string;
    isSearching: boolean;
    lines: number;
    /** JSON text in which the path is still looked for, or half an escape. */
    rest: string;
}

/** The path comes first in every tool of North. */
const MAX_PATH_SEARCH = 4_096;

/** Follows calls while their arguments arrive, for display: a new file may take a minute. */
export class GrowingCalls {
    private readonly calls = new Map<string, GrowingCall>();

    start({ callId, name }: Start): void {
        this.calls.set(callId, { name, isSearching: true, lines: 0, rest: "" });
    }

    *grow({ callId, text }: Delta): Generator<AgentEvent> {
        const call = this.calls.get(callId);
        if (!call) return;
        const { lines: linesBefore, path: pathBefore } = call;
        const unread = call.rest + text;
        if (call.isSearching) {
            call.path = firstPath(unread);
            call.isSearching = call.path === undefined && unread.length < MAX_PATH_SEARCH;
            call.rest = unread;
            if (call.isSearching) return;
        }
        const escapes = [...unread.matchAll(/\\(.)/gs)];
        call.lines += escapes.filter(([, escaped]) => escaped === "n").length;
        call.rest = /(?:^|[^\\])(?:\\\\)*(\\)$/.exec(unread)?.[1] ?? "";
        if (call.lines === linesBefore && call.path === pathBefore) return;
        const { name, path, lines } = call;
        yield {
            type: "tool-call-growing",
            callId,
            name,
            ...(path === undefined ? {} : { path }),
            lines,
        };
    }
}

function firstPath(json: string): string | undefined {
    const [, text] = /"path"\s*:\s*("(?:[^"\\]|\\.)*")/s.exec(json) ?? [];
    if (text === undefined) return undefined;
    const path = jsonIn(text);
    return typeof path === "string" ? path : undefined;
}
