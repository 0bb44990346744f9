import type {
    ChatCompletionAssistantMessageParam,
    ChatCompletionContentPart,
    ChatCompletionMessageParam,
} from "openai/resources/chat/completions";
import type {
    AssistantMessage,
    JsonObject,
    Message,
    ModelInfo,
    TextPart,
    ToolMessage,
    UserMessage,
} from "../../../plugin/index.js";
import { type IdentifierRules, toCallId } from "../../../provider-kit/identifiers.js";
import {
    isBlank,
    isOwnThinking,
    type SendableImage,
    sendableMedia,
    sendableParts,
    toDataUrl,
    toFunctionCall,
} from "../../../provider-kit/message-parts.js";
import { isJsonObject } from "../../../provider-kit/tool-input.js";

// https://developers.openai.com/api/reference/resources/chat/subresources/completions/methods/create

/** OpenAI's own limit here is 40. Some models' templates read ids such as `functions.run:0`. */
const CALL_IDS: IdentifierRules = { pattern: /^[\x21-\x7e]+$/, maxLength: 40 };

/** DeepSeek's field for what a model thinks; others took it over. */
export const REASONING_CONTENT = "reasoning_content";

/** The fields in which servers stream what a model thinks. */
export type ReasoningField = typeof REASONING_CONTENT | "reasoning";

/** The vendor's messages of one of ours; none where nothing would be left of it. */
export function toChatMessages(
    message: Message,
    model: ModelInfo,
    providerId: string,
    needsReasoning = false
): ChatCompletionMessageParam[] {
    switch (message.role) {
        case "user":
            return toUserMessages(message, model);
        case "assistant":
            return toAssistantMessages(message, {
                ...(needsReasoning ? { [REASONING_CONTENT]: "" } : {}),
                ...reasoningOf(message, model, providerId),
            });
        case "tool":
            return [
                ...message.content.map(({ callId, content }) => ({
                    role: "tool" as const,
                    tool_call_id: toCallId(callId, CALL_IDS),
                    content,
                })),
                ...imagesOf(message, model),
            ];
    }
}

/** Results are text here: their images follow in a message of their own. */
function imagesOf({ content }: ToolMessage, model: ModelInfo): ChatCompletionMessageParam[] {
    const images = content
        .flatMap((part) => sendableMedia(part, model))
        .filter((part) => part.type === "image");
    if (images.length === 0) return [];
    const note = { type: "text", text: "The images of the results above, in order." } as const;
    return [{ role: "user", content: [note, ...images.map(toUserContent)] }];
}

function toUserMessages(message: UserMessage, model: ModelInfo): ChatCompletionMessageParam[] {
    const parts = sendableParts(message, model).map(toUserContent);
    if (parts.length === 0) return [];
    const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
    // Plain text where there is nothing else: not every server's template takes a list.
    const content = texts.length === parts.length ? texts.join("\n\n") : parts;
    return [{ role: "user", content }];
}

function toUserContent(part: TextPart | SendableImage): ChatCompletionContentPart {
    if (part.type === "text") return { type: "text", text: part.text };
    return { type: "image_url", image_url: { url: toDataUrl(part) } };
}

function toAssistantMessages(
    message: AssistantMessage,
    reasoning: object
): ChatCompletionMessageParam[] {
    const text = message.content
        .flatMap((part) => (part.type === "text" ? [part.text] : []))
        .join("");
    const calls = message.content.flatMap((part) =>
        part.type === "tool-call"
            ? [
                  {
                      type: "function" as const,
                      id: toCallId(part.callId, CALL_IDS),
                      function: toFunctionCall(part),
                  },
              ]
            : []
    );
    const hasText = !isBlank(text);
    if (calls.length === 0) return hasText ? [{ role: "assistant", content: text }] : [];
    const asking: ChatCompletionAssistantMessageParam = {
        role: "assistant",
        content: hasText ? text : null,
        tool_calls: calls,
        ...reasoning,
    };
    return [asking];
}

/**
 * What the model thought before it called tools goes back where it came from: servers with
 * interleaved thinking insist on it, and the field is one this server uses itself.
 */
function reasoningOf({ content }: AssistantMessage, model: ModelInfo, providerId: string): object {
    const thoughts = content.flatMap((part) => {
        if (part.type !== "thinking" || part.text === "") return [];
        const field = fieldIn(part.opaque);
        return isOwnThinking(part, providerId, model) && field !== undefined
            ? [{ field, text: part.text }]
            : [];
    });
    const [first] = thoughts;
    if (first === undefined) return {};
    return { [first.field]: thoughts.map(({ text }) => text).join("\n\n") };
}

/** What is kept with a thought. */
export function toOpaque(field: ReasoningField): JsonObject {
    return { field };
}

function fieldIn(opaque: unknown): ReasoningField | undefined {
    if (!isJsonObject(opaque)) return undefined;
    const { field } = opaque;
    return field === "reasoning_content" || field === "reasoning" ? field : undefined;
}
