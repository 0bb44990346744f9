import type { ChatCompletionCreateParamsStreaming } from "openai/resources/chat/completions";
import type { ModelRequest } from "../../../plugin/index.js";
import { BodyMemory } from "../../../provider-kit/body-memory.js";
import { createBodyJoiner } from "../../../provider-kit/growing-body.js";
import { toFunctionTools } from "../../../provider-kit/message-parts.js";
import { toChatMessages } from "./message-mapping.js";

type Settings = Omit<ChatCompletionCreateParamsStreaming, "messages">;

/** What a server turned out to want otherwise than most do. */
export type Peculiarity =
    /** What was thought with every call, be it nothing. */
    | "needs-reasoning"
    /** Nothing about how hard to think. */
    | "refuses-effort"
    /** The limit of an answer by its newer name: Azure, for example. */
    | "renames-limit"
    /** No wish for counts. */
    | "refuses-counts";

export type Peculiarities = ReadonlySet<Peculiarity>;

/** Builds request bodies in which the messages come last, so that each extends the one before. */
export function createBodyBuilder(
    providerId: string,
    memory = new BodyMemory()
): (request: ModelRequest, peculiarities: Peculiarities) => Buffer {
    const joiner = (needsReasoning: boolean) =>
        createBodyJoiner(
            "messages",
            (message, model) => toChatMessages(message, model, providerId, needsReasoning),
            memory
        );
    const [usual, withReasoning] = [joiner(false), joiner(true)];
    return (request, peculiarities) => {
        const join = peculiarities.has("needs-reasoning") ? withReasoning : usual;
        const { system, messages, model } = request;
        const leading = system === "" ? [] : [{ role: "system", content: system }];
        return join({ settings: settingsOf(request, peculiarities), leading, messages, model });
    };
}

/** Nothing is said of thinking to a model of which the settings do not say that it can be told. */
function reasoningOf({ model, thinking, effort = "medium" }: ModelRequest): Partial<Settings> {
    if (model.efforts === undefined) return {};
    return { reasoning_effort: thinking ? effort : "none" };
}

function settingsOf(request: ModelRequest, peculiarities: Peculiarities): Settings {
    const { model, tools, maxOutputTokens } = request;
    return {
        model: model.id,
        stream: true,
        ...(peculiarities.has("refuses-counts") ? {} : { stream_options: { include_usage: true } }),
        // Its successor is known to few servers.
        ...(peculiarities.has("renames-limit")
            ? { max_completion_tokens: maxOutputTokens }
            : { max_tokens: maxOutputTokens }),
        ...(peculiarities.has("refuses-effort") ? {} : reasoningOf(request)),
        ...toFunctionTools(tools),
    };
}
