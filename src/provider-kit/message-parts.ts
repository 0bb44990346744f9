import type {
    DocumentPart,
    ImagePart,
    ModelInfo,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolResultPart,
    ToolSchema,
    UserMessage,
} from "../plugin/index.js";
import { toToolName } from "./identifiers.js";
import { toJson } from "./json-text.js";

/** Image types that all vendors accept. */
const IMAGE_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const;

/** An image of a type that all vendors accept. */
export type SendableImage = ImagePart & { readonly mediaType: (typeof IMAGE_TYPES)[number] };

/**
 * The parts of a user message to send: without blank text, which vendors reject, and with names instead of images
 * for models without vision.
 */
export function sendableParts(
    { content }: UserMessage,
    model: ModelInfo
): readonly (TextPart | SendableImage)[] {
    return content
        .map((part): TextPart | SendableImage => {
            if (part.type === "text") return part;
            if (model.images !== true) return named(part.name ?? part.mediaType);
            return isSendable(part)
                ? part
                : named(`of a type that cannot be sent: ${part.mediaType}`);
        })
        .filter((part) => part.type === "image" || !isBlank(part.text));
}

/** The images and PDFs of a result that the model supports; `content` names the others. */
export function sendableMedia(
    { media = [] }: ToolResultPart,
    model: ModelInfo
): readonly (SendableImage | DocumentPart)[] {
    return media.flatMap((part) => {
        if (part.type === "document") return model.documents === true ? part : [];
        return model.images === true && isSendable(part) ? part : [];
    });
}

/** Whether a text is empty or whitespace, which vendors reject. */
export function isBlank(text: string): boolean {
    return text.trim() === "";
}

/** The image or PDF as a `data:` URL. */
export function toDataUrl({ mediaType, data }: ImagePart | DocumentPart): string {
    return `data:${mediaType};base64,${data}`;
}

/** Whether this model of this provider wrote the part; no other may receive it. */
export function isOwnThinking(
    { provider, model }: ThinkingPart,
    providerId: string,
    { id }: ModelInfo
): boolean {
    return provider === providerId && model === id;
}

/** A call in OpenAI's format, which others adopted; `arguments` is JSON text. */
export function toFunctionCall({ name, input }: ToolCallPart) {
    return { name: toToolName(name), arguments: toJson(input) };
}

/** `tools` of chat completions; omitted if empty, as vendors require. */
export function toFunctionTools(tools: readonly ToolSchema[]) {
    if (tools.length === 0) return {};
    return {
        tools: tools.map(({ name, description, inputSchema }) => ({
            type: "function" as const,
            function: { name, description, parameters: { ...inputSchema } },
        })),
    };
}

function isSendable(part: ImagePart): part is SendableImage {
    return IMAGE_TYPES.some((type) => type === part.mediaType);
}

function named(name: string): TextPart {
    return { type: "text", text: `[Image: ${name}]` };
}
