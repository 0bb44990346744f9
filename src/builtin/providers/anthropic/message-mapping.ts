import type {
    ContentBlockParam,
    DocumentBlockParam,
    ImageBlockParam,
    MessageParam,
    ServerToolUseBlock,
    TextBlockParam,
    ToolResultBlockParam,
    WebSearchToolResultBlock,
} from "@anthropic-ai/sdk/resources/messages/messages";
import type {
    AssistantMessage,
    DocumentPart,
    Message,
    ModelInfo,
    TextPart,
    ThinkingPart,
    ToolMessage,
    ToolResultPart,
} from "../../../plugin/index.js";
import { type IdentifierRules, toCallId, toToolName } from "../../../provider-kit/identifiers.js";
import { isJsonObject } from "../../../provider-kit/tool-input.js";
import {
    isBlank,
    isOwnThinking,
    type SendableImage,
    sendableMedia,
    sendableParts,
} from "../../../provider-kit/message-parts.js";

// https://platform.claude.com/docs/en/api/messages/create

const SERVER_BLOCKS = ["server_tool_use", "web_search_tool_result"] as const;

const CALL_IDS: IdentifierRules = { pattern: /^[a-zA-Z0-9_-]+$/, maxLength: 64 };

/**
 * Converts a message to the vendor's format; `undefined` if nothing is left of it, since empty
 * content is rejected. `boundTo` is the fingerprint of everything sent before this message: the
 * vendor rejects thinking whose preceding context has changed
 * (https://platform.claude.com/docs/en/build-with-claude/preserved-thinking). Only thinking of
 * `providerId` is sent.
 */
export function toMessageParam(
    message: Message,
    model: ModelInfo,
    boundTo: string,
    providerId: string
): MessageParam | undefined {
    const isReply = message.role === "assistant";
    const content = isReply
        ? toAssistantBlocks(message, model, boundTo, providerId)
        : message.role === "tool"
          ? toResultBlocks(message, model)
          : sendableParts(message, model).map(toBlock);
    return content.length === 0 ? undefined : { role: isReply ? "assistant" : "user", content };
}

function toAssistantBlocks(
    message: AssistantMessage,
    model: ModelInfo,
    boundTo: string,
    providerId: string
): ContentBlockParam[] {
    const blocks = message.content.flatMap((part): ContentBlockParam[] => {
        switch (part.type) {
            case "text":
                return isBlank(part.text) ? [] : [toBlock(part)];
            case "thinking":
                return toThinkingBlock(part, model, boundTo, providerId);
            case "tool-call":
                return [
                    {
                        type: "tool_use",
                        id: toCallId(part.callId, CALL_IDS),
                        name: toToolName(part.name),
                        input: part.input,
                    },
                ];
        }
    });
    // The reply was cut off while thinking: thinking may not be the last block.
    while (isThinking(blocks.at(-1))) blocks.pop();
    return blocks;
}

/** Whether a reply, as sent, begins with the model's own thinking. */
export function beginsWithThinking(
    message: AssistantMessage,
    model: ModelInfo,
    providerId: string
): boolean {
    return isThinking(toAssistantBlocks(message, model, "", providerId).at(0));
}

function isThinking(block: ContentBlockParam | undefined): boolean {
    return block?.type === "thinking" || block?.type === "redacted_thinking";
}

/** Drops thinking of another provider or model, or without a signature. */
function toThinkingBlock(
    part: ThinkingPart,
    model: ModelInfo,
    boundTo: string,
    providerId: string
): ContentBlockParam[] {
    const { opaque } = part;
    if (!isOwnThinking(part, providerId, model) || !isJsonObject(opaque)) return [];
    if (isServerBlock(opaque.block)) return [opaque.block];
    // Older models accept any thinking of their own, and those with a budget require it.
    if (model.thinking === "adaptive" && opaque.boundTo !== boundTo) return [];
    const { signature, redacted } = opaque;
    if (typeof redacted === "string") return [{ type: "redacted_thinking", data: redacted }];
    if (typeof signature !== "string" || signature === "") return [];
    return [{ type: "thinking", thinking: part.text, signature }];
}

/** What the vendor did itself, as it sent it. */
function isServerBlock(block: unknown): block is ServerToolUseBlock | WebSearchToolResultBlock {
    return isJsonObject(block) && SERVER_BLOCKS.some((type) => type === block.type);
}

function toResultBlocks(message: ToolMessage, model: ModelInfo): ContentBlockParam[] {
    return message.content.map((part) => ({
        type: "tool_result",
        tool_use_id: toCallId(part.callId, CALL_IDS),
        ...(part.content === "" ? {} : { content: toResultContent(part, model) }),
        ...(part.isError ? { is_error: true } : {}),
    }));
}

function toResultContent(part: ToolResultPart, model: ModelInfo): ToolResultBlockParam["content"] {
    const media = sendableMedia(part, model).map(toBlock);
    return media.length === 0 ? part.content : [{ type: "text", text: part.content }, ...media];
}

function toBlock(
    part: TextPart | SendableImage | DocumentPart
): TextBlockParam | ImageBlockParam | DocumentBlockParam {
    if (part.type === "text") return { type: "text", text: part.text };
    const { data } = part;
    if (part.type === "image") {
        return { type: "image", source: { type: "base64", media_type: part.mediaType, data } };
    }
    return { type: "document", source: { type: "base64", media_type: part.mediaType, data } };
}
