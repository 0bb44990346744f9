import type {
    AssistantMessage,
    ContentChunk,
    SystemMessage,
    ToolMessage,
    UserMessage,
} from "@mistralai/mistralai/models/components";
import type {
    AssistantMessage as Assistant,
    Message,
    ModelInfo,
    ToolMessage as ToolResults,
} from "north-cli/plugin";
import {
    type IdentifierRules,
    isBlank,
    isJsonObject,
    isOwnThinking,
    type SendableImage,
    sendableMedia,
    sendableParts,
    toCallId,
    toDataUrl,
    toFunctionCall,
    toToolName,
    toWellFormed,
} from "north-cli/provider-kit";
import { MISTRAL } from "./vendor.js";

// https://docs.mistral.ai/api/endpoint/chat

const CALL_IDS: IdentifierRules = { pattern: /^[a-zA-Z0-9]{9}$/, maxLength: 9 };

type VendorMessage =
    | SystemMessage
    | UserMessage
    | ToolMessage
    | (AssistantMessage & { role: "assistant" });

/** Converts the whole conversation to the vendor's format and order. */
export function toVendorMessages(
    system: string,
    messages: readonly Message[],
    model: ModelInfo
): VendorMessage[] {
    const all: VendorMessage[] = system === "" ? [] : [{ role: "system", content: system }];
    for (const next of messages.flatMap((message) => toMessages(message, model))) {
        // The turn was interrupted after its tools: the vendor rejects a user message there.
        if (next.role === "user" && all.at(-1)?.role === "tool") {
            all.push({ role: "assistant", content: "(interrupted)" });
        }

        all.push(next);
    }
    return all;
}

function toMessages(message: Message, model: ModelInfo): VendorMessage[] {
    switch (message.role) {
        case "user": {
            const content = sendableParts(message, model).map((part) =>
                part.type === "text" ? toTextChunk(part.text) : toImageChunk(part)
            );
            return content.length === 0 ? [] : [{ role: "user", content }];
        }
        case "assistant":
            return toAssistantMessages(message, model);
        case "tool":
            return [
                ...message.content.map(({ callId, name, content }) => ({
                    role: "tool" as const,
                    toolCallId: toCallId(callId, CALL_IDS),
                    name: toToolName(name),
                    content: toWellFormed(content),
                })),
                ...imagesOf(message, model),
            ];
    }
}

/** Results are text only: their images follow in a message, which the vendor takes after a reply. */
function imagesOf({ content }: ToolResults, model: ModelInfo): VendorMessage[] {
    const images = content
        .flatMap((part) => sendableMedia(part, model))
        .flatMap((part) => (part.type === "image" ? [toImageChunk(part)] : []));
    if (images.length === 0) return [];
    const note = toTextChunk("The images of the results above, in order.");
    return [
        { role: "assistant", content: "(waiting for the images)" },
        { role: "user", content: [note, ...images] },
    ];
}

function toAssistantMessages(
    { content }: Assistant,
    model: ModelInfo
): (AssistantMessage & { role: "assistant" })[] {
    const chunks = content.flatMap((part): ContentChunk[] => {
        if (part.type === "tool-call" || isBlank(part.text)) return [];
        const text = toTextChunk(part.text);
        if (part.type === "text") return [text];
        if (!isOwnThinking(part, MISTRAL.id, model)) return [];
        const signature = isJsonObject(part.opaque) ? part.opaque.signature : undefined;
        const proof = typeof signature === "string" ? { signature } : {};
        return [{ type: "thinking", thinking: [text], ...proof }];
    });
    const toolCalls = content.flatMap((part) =>
        part.type === "tool-call"
            ? [
                  {
                      id: toCallId(part.callId, CALL_IDS),
                      type: "function" as const,
                      function: toFunctionCall(part),
                  },
              ]
            : []
    );
    if (toolCalls.length > 0) return [{ role: "assistant", content: chunks, toolCalls }];
    const hasText = chunks.some(({ type }) => type === "text");
    return hasText ? [{ role: "assistant", content: chunks }] : [];
}

function toImageChunk(image: SendableImage) {
    return { type: "image_url" as const, imageUrl: toDataUrl(image) };
}

function toTextChunk(text: string) {
    return { type: "text" as const, text: toWellFormed(text) };
}
