import type {
    AssistantEntry,
    AssistantMessage,
    ToolCallPart,
    ToolResultEntry,
    ToolResultPart,
} from "../../plugin/index.js";

const MARKS = { cancelled: "[Cancelled]", interrupted: "[Interrupted]" } as const;

export function replyMessage(entry: AssistantEntry): AssistantMessage | undefined {
    const content = entry.content.filter((part) => part.type !== "text" || part.text !== "");
    if (entry.status === "cancelled" || entry.status === "interrupted") {
        return { role: "assistant", content: appendMark(content, MARKS[entry.status]) };
    }

    return content.length > 0 ? { role: "assistant", content } : undefined;
}

export function replyTexts({ content }: AssistantEntry): readonly string[] {
    return content.flatMap((part) => (part.type === "text" && part.text !== "" ? part.text : []));
}

/** Appends the mark to the text, because vendors want calls last. */
function appendMark(
    content: AssistantMessage["content"],
    mark: string
): AssistantMessage["content"] {
    const calls = content.filter((part) => part.type === "tool-call");
    const rest = content.filter((part) => part.type !== "tool-call");
    const last = rest.at(-1);
    if (last?.type !== "text") return [...rest, { type: "text", text: mark }, ...calls];
    return [...rest.slice(0, -1), { type: "text", text: `${last.text}\n${mark}` }, ...calls];
}

/** A result as sent, with what the project has to say of the files that the call touched. */
export function resultPart(entry: ToolResultEntry): ToolResultPart {
    const { callId, name, ok, text, content, notes = [], media } = entry;
    return {
        type: "tool-result",
        callId,
        name,
        content: [text ?? content, ...notes.map((note) => note.text)].join("\n\n"),
        isError: !ok,
        media,
    };
}

/** The calls of the last reply until each has its result. */
export interface OpenCalls {
    readonly calls: readonly ToolCallPart[];
    readonly results: Map<string, ToolResultPart>;
    /** Ids of the calls that the user denied. */
    readonly denied: Set<string>;
}

/** The code of the result of a call that was running when its turn was cancelled. */
export const STOPPED = "cancelled";
export function wasStopped(content: string): boolean {
    return content.startsWith(`{"ok":false,"error":{"code":"${STOPPED}"`);
}

export const CHECK_FIRST = "Check the current state before doing it again.";

/**
 * Adds a result that says why to each call without one. A denial without a result means that the
 * turn was cancelled with it, as does the result of a stopped call, so no later call was started.
 */
export function closeCalls({ calls, results, denied }: OpenCalls): void {
    let isCancelled = false;
    for (const { callId, name } of calls) {
        const result = results.get(callId);
        if (result) {
            isCancelled ||= wasStopped(result.content);
            continue;
        }
        const isDenied = denied.has(callId);
        const error = isDenied ? DENIED : isCancelled ? SKIPPED : UNKNOWN;
        const content = JSON.stringify({ ok: false, error });
        results.set(callId, { type: "tool-result", callId, name, content, isError: true });
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
    message: "Not started: the turn was cancelled before it. Nothing ran.",
};

const UNKNOWN = {
    code: "interrupted",
    message: "Interrupted before it finished; its effect is unknown.",
    hint: CHECK_FIRST,
};
