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
import { mergeCallExtras } from "../../../provider-kit/call-collector.js";
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

/** How a server wants messages. */
export interface Dialect {
    /** `reasoning_content` in each message with calls, even if empty. */
    readonly needsReasoning?: boolean;
    /** Refuses `reasoning_details` and unknown fields of calls, although it sends them. */
    readonly refusesExtras?: boolean;
    /** Content as parts, which cache marks need. Otherwise text, which all servers accept. */
    readonly inParts?: boolean;
}

/** Converts a message to the vendor's format; returns none if nothing is left of it. */
export function toChatMessages(
    message: Message,
    model: ModelInfo,
    providerId: string,
    { needsReasoning, refusesExtras, inParts = false }: Dialect = {}
): ChatCompletionMessageParam[] {
    switch (message.role) {
        case "user":
            return toUserMessages(message, model, inParts);
        case "assistant": {
            const own = ownMarks(message, model, providerId);
            const extras = refusesExtras ? NO_EXTRAS : extrasIn(own);
            return toAssistantMessages(message, extras.calls, {
                ...(needsReasoning ? { [REASONING_CONTENT]: "" } : {}),
                ...reasoningOf(own),
                ...extras.message,
            });
        }
        case "tool":
            return [
                ...message.content.map(({ callId, content }) => ({
                    role: "tool" as const,
                    tool_call_id: toCallId(callId, CALL_IDS),
                    content: inParts ? [{ type: "text" as const, text: content }] : content,
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

function toUserMessages(
    message: UserMessage,
    model: ModelInfo,
    inParts: boolean
): ChatCompletionMessageParam[] {
    const parts = sendableParts(message, model).map(toUserContent);
    if (parts.length === 0) return [];
    const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
    // Plain text if possible: not every server's template accepts a list.
    const content = texts.length === parts.length && !inParts ? texts.join("\n\n") : parts;
    return [{ role: "user", content }];
}

function toUserContent(part: TextPart | SendableImage): ChatCompletionContentPart {
    if (part.type === "text") return { type: "text", text: part.text };
    return { type: "image_url", image_url: { url: toDataUrl(part) } };
}

function toAssistantMessages(
    message: AssistantMessage,
    callExtras: JsonObject,
    others: object
): ChatCompletionMessageParam[] {
    const text = message.content
        .flatMap((part) => (part.type === "text" ? [part.text] : []))
        .join("");
    const calls = message.content.flatMap((part) =>
        part.type === "tool-call"
            ? [
                  mergeCallExtras(
                      {
                          type: "function" as const,
                          id: toCallId(part.callId, CALL_IDS),
                          function: toFunctionCall(part),
                      },
                      callExtras[part.callId]
                  ),
              ]
            : []
    );
    const hasText = !isBlank(text);
    if (calls.length === 0) return hasText ? [{ role: "assistant", content: text }] : [];
    const asking: ChatCompletionAssistantMessageParam = {
        role: "assistant",
        content: hasText ? text : null,
        tool_calls: calls,
        ...others,
    };
    return [asking];
}

/** What this model's thinking keeps for the server. */
interface Mark {
    readonly text: string;
    readonly opaque: JsonObject;
}

function ownMarks(
    { content }: AssistantMessage,
    model: ModelInfo,
    providerId: string
): readonly Mark[] {
    return content.flatMap((part) => {
        if (part.type !== "thinking" || !isOwnThinking(part, providerId, model)) return [];
        return isJsonObject(part.opaque) ? [{ text: part.text, opaque: part.opaque }] : [];
    });
}

/**
 * Sends thinking before tool calls back in the field it came in: servers with interleaved thinking
 * require it.
 */
function reasoningOf(marks: readonly Mark[]): object {
    const thoughts = marks.filter(({ text, opaque }) => text !== "" && fieldIn(opaque));
    const [first] = thoughts;
    if (first === undefined) return {};
    return { [fieldIn(first.opaque) ?? ""]: thoughts.map(({ text }) => text).join("\n\n") };
}

/** Metadata stored with thinking that came in this field. */
export function toFieldMark(field: ReasoningField): JsonObject {
    return { field };
}

/** Metadata of a reply with calls; `undefined` if there is none. */
export function toExtrasMark(
    details: readonly JsonObject[],
    calls: JsonObject
): JsonObject | undefined {
    const mark = {
        ...(details.length > 0 ? { details } : {}),
        ...(Object.keys(calls).length > 0 ? { calls } : {}),
    };
    return Object.keys(mark).length > 0 ? mark : undefined;
}

const NO_EXTRAS = { calls: {}, message: {} };

function extrasIn(marks: readonly Mark[]): { calls: JsonObject; message: object } {
    const found = marks.find(({ opaque }) => opaque.details ?? opaque.calls)?.opaque;
    if (found === undefined) return NO_EXTRAS;
    const { details, calls } = found;
    return {
        calls: isJsonObject(calls) ? calls : {},
        message: Array.isArray(details) ? { reasoning_details: details } : {},
    };
}

function fieldIn({ field }: JsonObject): ReasoningField | undefined {
    return field === "reasoning_content" || field === "reasoning" ? field : undefined;
}
