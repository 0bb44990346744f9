import type { ToolCallPart, ToolResultPart } from "../../plugin/index.js";

export interface OpenCalls {
    readonly calls: readonly ToolCallPart[];
    readonly results: Map<string, ToolResultPart>;
    /** Ids of the calls that the user denied. */
    readonly denied: Set<string>;
}

/**
 * Adds a result that says why to each call without one. A denial without a result means that the
 * turn was cancelled with it, so no later call was started.
 */
export function closeCalls({ calls, results, denied }: OpenCalls): void {
    let isCancelled = false;
    for (const call of calls) {
        if (results.has(call.callId)) continue;
        const isDenied = denied.has(call.callId);
        results.set(
            call.callId,
            resultOf(call, isDenied ? DENIED : isCancelled ? SKIPPED : UNKNOWN)
        );
        isCancelled ||= isDenied;
    }
}

const DENIED = {
    code: "denied",
    message: "The user denied it and cancelled the turn. Nothing ran and nothing was changed.",
    hint: "Do not do it again unless the user asks for it.",
};

const SKIPPED = {
    code: "cancelled",
    message: "Not started: the user cancelled the turn before it. Nothing ran.",
};

const UNKNOWN = {
    code: "interrupted",
    message: "Interrupted before it finished; its effect is unknown.",
    hint: "Check the current state before doing it again.",
};

function resultOf(call: ToolCallPart, error: object): ToolResultPart {
    return {
        type: "tool-result",
        callId: call.callId,
        name: call.name,
        content: JSON.stringify({ ok: false, error }),
        isError: true,
    };
}
