import type { ChatCompletionCreateParamsStreaming } from "openai/resources/chat/completions";
import type { Message, ModelInfo, ModelRequest } from "../../../plugin/index.js";
import { type CacheMark, markOf } from "../../../provider-kit/cache-marks.js";
import { BodyMemory, createBodyJoiner } from "../../../provider-kit/growing-body.js";
import { toFunctionTools } from "../../../provider-kit/message-parts.js";
import { type Dialect, toChatMessages } from "./message-mapping.js";

type Settings = Omit<ChatCompletionCreateParamsStreaming, "messages">;

/** A deviation from the standard protocol, learned from the server's error. */
export type Quirk =
    /** Resend reasoning_content with each tool call, even if empty. */
    | "needs-reasoning"
    /** Do not send an effort. */
    | "refuses-effort"
    /** Send the output limit under its newer name, as Azure requires. */
    | "renames-limit"
    /** Do not request usage counts. */
    | "refuses-counts"
    /** Do not send back fields that the protocol does not define. */
    | "refuses-extras"
    /** Do not mark what to cache. */
    | "refuses-marks";

type Quirks = ReadonlySet<Quirk>;

/** Builds request bodies with the messages last, so that each request extends the previous one. */
export function createBodyBuilder(
    providerId: string,
    memory = new BodyMemory()
): (request: ModelRequest, quirks: Quirks) => Buffer {
    const joiners = new Map<string, ReturnType<typeof createBodyJoiner>>();
    const joinerFor = (dialect: Dialect) => {
        const key = JSON.stringify(dialect);
        const known = joiners.get(key);
        if (known) return known;
        const toItems = (message: Message, model: ModelInfo) =>
            toChatMessages(message, model, providerId, dialect);
        const joiner = createBodyJoiner("messages", toItems, memory);
        joiners.set(key, joiner);
        return joiner;
    };
    return (request, quirks) => {
        const { system, messages, model } = request;
        const isMarked = NEEDS_MARKS.test(model.id) && !quirks.has("refuses-marks");
        const mark = isMarked ? markOf(request) : undefined;
        const join = joinerFor({
            needsReasoning: quirks.has("needs-reasoning"),
            refusesExtras: quirks.has("refuses-extras"),
            inParts: isMarked,
        });
        const leading = system === "" ? [] : [toSystemMessage(system, isMarked, mark)];
        return join({ settings: settingsOf(request, quirks), leading, messages, model, mark });
    };
}

/** Anthropic's models cache only what is marked, behind a gateway too; others do it unasked. */
const NEEDS_MARKS = /^anthropic\/|\bclaude\b/i;

function toSystemMessage(text: string, inParts: boolean, mark: CacheMark | undefined) {
    if (!inParts) return { role: "system", content: text };
    return { role: "system", content: [{ type: "text", text, cache_control: mark }] };
}

function settingsOf(request: ModelRequest, quirks: Quirks): Settings {
    const { model, tools, maxOutputTokens, thinking, effort = "medium" } = request;
    const reasoning = thinking ? effort : model.alwaysThinks ? undefined : "none";
    const takesEffort = model.efforts !== undefined && !quirks.has("refuses-effort");
    return {
        model: model.id,
        stream: true,
        ...(quirks.has("refuses-counts") ? {} : { stream_options: { include_usage: true } }),
        // Few servers support its successor, `max_completion_tokens`.
        ...(quirks.has("renames-limit")
            ? { max_completion_tokens: maxOutputTokens }
            : { max_tokens: maxOutputTokens }),
        ...(takesEffort && reasoning && { reasoning_effort: reasoning }),
        ...toFunctionTools(tools),
    };
}
