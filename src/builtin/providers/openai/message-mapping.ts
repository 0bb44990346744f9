import type {
    EasyInputMessage,
    ResponseFunctionWebSearch,
    ResponseInputFile,
    ResponseInputImage,
    ResponseInputItem,
    ResponseInputText,
} from "openai/resources/responses/responses";
import type {
    AssistantMessage,
    DocumentPart,
    JsonObject,
    Message,
    ModelInfo,
    TextPart,
    ToolResultPart,
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
import { PROVIDER_ID } from "./models.js";

// https://developers.openai.com/api/reference/resources/responses/methods/create

const CALL_IDS: IdentifierRules = { pattern: /^[a-zA-Z0-9_-]+$/, maxLength: 64 };

interface ItemOptions {
    /** Whose reasoning goes back, if any does. */
    readonly providerId: string;
    readonly withReasoning: boolean;
    /** The group of the tools that were called, if they are in one. */
    readonly namespace?: string | undefined;
}

export function toInputItems(
    message: Message,
    model: ModelInfo,
    options: ItemOptions = { providerId: PROVIDER_ID, withReasoning: true }
): ResponseInputItem[] {
    switch (message.role) {
        case "user":
            return toUserItems(message, model);
        case "assistant":
            return toAssistantItems(message, model, options);
        case "tool":
            return message.content.map((part) => ({
                type: "function_call_output",
                call_id: toCallId(part.callId, CALL_IDS),
                output: toOutput(part, model),
            }));
    }
}

function toOutput(part: ToolResultPart, model: ModelInfo) {
    const media = sendableMedia(part, model);
    if (media.length === 0) return part.content;
    return [{ type: "input_text" as const, text: part.content }, ...media.map(toContent)];
}

function toUserItems(message: UserMessage, model: ModelInfo): ResponseInputItem[] {
    const content = sendableParts(message, model).map(toContent);
    return content.length === 0 ? [] : [{ role: "user", content }];
}

function toContent(
    part: TextPart | SendableImage | DocumentPart
): ResponseInputText | ResponseInputImage | ResponseInputFile {
    const { type } = part;
    if (type === "text") return { type: "input_text", text: part.text };
    if (type === "image") {
        return { type: "input_image", detail: "auto", image_url: toDataUrl(part) };
    }
    const { name: filename = "document.pdf" } = part;
    return { type: "input_file", filename, file_data: toDataUrl(part) };
}

function toAssistantItems(
    message: AssistantMessage,
    model: ModelInfo,
    { providerId, withReasoning, namespace }: ItemOptions
): ResponseInputItem[] {
    const items: ResponseInputItem[] = [];
    let phase: EasyInputMessage["phase"];
    for (const part of message.content) {
        if (part.type === "text" && !isBlank(part.text)) {
            items.push({ role: "assistant", content: part.text, ...(phase ? { phase } : {}) });
            phase = undefined;
        } else if (part.type === "tool-call") {
            items.push({
                type: "function_call",
                call_id: toCallId(part.callId, CALL_IDS),
                ...(namespace && { namespace }),
                ...toFunctionCall(part),
            });
        } else if (part.type === "thinking") {
            const opaque = isOwnThinking(part, providerId, model) ? part.opaque : undefined;
            phase = phaseIn(opaque) ?? phase;
            if (withReasoning && isReasoning(opaque)) items.push(opaque);
            if (isSearch(opaque)) items.push(opaque);
        }
    }
    // The reply was cut off while thinking: reasoning must be followed by its output.
    while (isReasoning(items.at(-1))) items.pop();
    return items;
}

/** Requires the content: nothing is stored at the vendor, so an id alone means nothing there. */
function isReasoning(item: unknown): item is Extract<ResponseInputItem, { type: "reasoning" }> {
    if (!isJsonObject(item) || item.type !== "reasoning") return false;
    const { id, summary, encrypted_content: content } = item;
    return typeof id === "string" && Array.isArray(summary) && typeof content === "string";
}

function isSearch(item: unknown): item is ResponseFunctionWebSearch {
    return isJsonObject(item) && item.type === "web_search_call" && isJsonObject(item.action);
}

/** Stores the phase of the text that follows; newer models expect it back. */
export function toPhaseMark(phase: string): JsonObject {
    return { type: "phase", phase };
}

function phaseIn(opaque: unknown): EasyInputMessage["phase"] {
    if (!isJsonObject(opaque) || opaque.type !== "phase") return undefined;
    const { phase } = opaque;
    return phase === "commentary" || phase === "final_answer" ? phase : undefined;
}
