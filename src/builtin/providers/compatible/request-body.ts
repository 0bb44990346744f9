import type { ChatCompletionCreateParamsStreaming } from "openai/resources/chat/completions";
import type { ModelRequest } from "../../../plugin/index.js";
import { BodyMemory, createBodyJoiner } from "../../../provider-kit/growing-body.js";
import { toFunctionTools } from "../../../provider-kit/message-parts.js";
import { toChatMessages } from "./message-mapping.js";

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
    | "refuses-counts";

type Quirks = ReadonlySet<Quirk>;

/** Builds request bodies with the messages last, so that each request extends the previous one. */
export function createBodyBuilder(
    providerId: string,
    memory = new BodyMemory()
): (request: ModelRequest, quirks: Quirks) => Buffer {
    const joiner = (needsReasoning: boolean) =>
        createBodyJoiner(
            "messages",
            (message, model) => toChatMessages(message, model, providerId, needsReasoning),
            memory
        );
    const [usual, withReasoning] = [joiner(false), joiner(true)];
    return (request, quirks) => {
        const join = quirks.has("needs-reasoning") ? withReasoning : usual;
        const { system, messages, model } = request;
        const leading = system === "" ? [] : [{ role: "system", content: system }];
        return join({ settings: settingsOf(request, quirks), leading, messages, model });
    };
}

function settingsOf(request: ModelRequest, quirks: Quirks): Settings {
    const { model, tools, maxOutputTokens, thinking, effort = "medium" } = request;
    const takesEffort = model.efforts !== undefined && !quirks.has("refuses-effort");
    return {
        model: model.id,
        stream: true,
        ...(quirks.has("refuses-counts") ? {} : { stream_options: { include_usage: true } }),
        // Few servers support its successor, `max_completion_tokens`.
        ...(quirks.has("renames-limit")
            ? { max_completion_tokens: maxOutputTokens }
            : { max_tokens: maxOutputTokens }),
        ...(takesEffort && { reasoning_effort: thinking ? effort : "none" }),
        ...toFunctionTools(tools),
    };
}
