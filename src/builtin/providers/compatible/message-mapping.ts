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

/** OpenAI's own limit is 40. Some models' templates parse ids such as `functions.run:0`. */
const CALL_IDS: IdentifierRules = { pattern: /^[\x21-\x7e]+$/, maxLength: 40 };

/** DeepSeek's field for thinking, adopted by others. */
export const REASONING_CONTENT = "reasoning_content";

/** Fields in which servers stream thinking. */
export type ReasoningField = typeof REASONING_CONTENT | "reasoning";

/** Converts a message to the vendor's format; returns none if nothing is left of it. */
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

/** Tool results are text only: their images follow in a separate message. */
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
    // Plain text if possible: not every server's template accepts a list.
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
 * Sends thinking before tool calls back in the field it came in: servers with interleaved thinking
 * require it.
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

/** Metadata stored with thinking. */
export function toOpaque(field: ReasoningField): JsonObject {
    return { field };
}

function fieldIn(opaque: unknown): ReasoningField | undefined {
    if (!isJsonObject(opaque)) return undefined;
    const { field } = opaque;
    return field === "reasoning_content" || field === "reasoning" ? field : undefined;
}
