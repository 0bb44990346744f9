import type { ToolCallPart, ToolResultPart } from "../../plugin/index.js";

export interface OpenCalls {
    readonly calls: readonly ToolCallPart[];
    readonly results: Map<string, ToolResultPart>;
    /** Ids of the calls that the user denied. */
    readonly denied: Set<string>;
}

/**
 * Gives each call without a result one that says why. A denial is followed by a result unless the
 * turn was cancelled with it, and then no call after it was begun.
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
