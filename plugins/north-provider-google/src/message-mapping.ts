import type {
    AssistantMessage,
    ImagePart,
    Message,
    ModelInfo,
    ToolResultPart,
    UserMessage,
} from "north-cli/plugin";
import {
    isBlank,
    isJsonObject,
    isOwnThinking,
    sendableMedia,
    sendableParts,
    toToolName,
    toWellFormed,
} from "north-cli/provider-kit";
import { isGemini3 } from "./models.js";
import type { Content, Part } from "./wire.js";

// https://ai.google.dev/gemini-api/docs/function-calling
// https://ai.google.dev/gemini-api/docs/thought-signatures

/** The signatures of a reply as `opaque`: of its calls by id, or of the text before it. */
export interface Signatures {
    readonly calls?: { readonly [callId: string]: string };
    readonly text?: string;
}

/** For a call that another model made: Gemini 3 refuses one without a signature. */
const FOREIGN = "skip_thought_signature_validator";

/**
 * Converts a message to the vendor's format; none if nothing is left of it. Only thinking of
 * `provider` goes back.
 */
export function toContents(
    message: Message,
    model: ModelInfo,
    provider: string
): readonly Content[] {
    const role = message.role === "assistant" ? "model" : "user";
    const parts = toParts(message, model, provider);
    return parts.length === 0 ? [] : [{ role, parts }];
}

function toParts(message: Message, model: ModelInfo, provider: string): readonly Part[] {
    switch (message.role) {
        case "user":
            return toUserParts(message, model);
        case "assistant":
            return withForeignMark(toModelParts(message, model, provider), model);
        case "tool":
            return message.content.map((result) => toFunctionResponse(result, model));
    }
}

function toUserParts(message: UserMessage, model: ModelInfo): readonly Part[] {
    return sendableParts(message, model).map((part) => {
        if (part.type === "text") return { text: toWellFormed(part.text) };
        if (isReadable(part)) return toInlineData(part);
        return { text: `[Image: ${part.name ?? "GIF"}, which Gemini cannot read]` };
    });
}

function toModelParts(
    { content }: AssistantMessage,
    model: ModelInfo,
    provider: string
): readonly Part[] {
    const parts: Part[] = [];
    const own = content.map((part) =>
        part.type === "thinking" && isOwnThinking(part, provider, model) ? part.opaque : undefined
    );
    const signatures = Object.fromEntries(own.flatMap((opaque) => Object.entries(callsIn(opaque))));
    for (const [index, part] of content.entries()) {
        if (part.type === "text") {
            if (!isBlank(part.text)) parts.push({ text: toWellFormed(part.text) });
        } else if (part.type === "tool-call") {
            const { callId: id, name, input: args } = part;
            const signature = signatures[id];
            parts.push({
                functionCall: { id: toWellFormed(id), name: toFunctionName(name), args },
                ...(typeof signature === "string" && { thoughtSignature: signature }),
            });
        } else {
            addSignature(parts, own[index]);
        }
    }
    return parts;
}

/** The text's signature belongs to its last part. */
function addSignature(parts: Part[], opaque: unknown): void {
    if (!isJsonObject(opaque) || typeof opaque.text !== "string") return;
    const thoughtSignature = opaque.text;
    const last = parts.at(-1);
    if (last?.text === undefined) parts.push({ text: "", thoughtSignature });
    else parts[parts.length - 1] = { ...last, thoughtSignature };
}

function callsIn(opaque: unknown): object {
    return isJsonObject(opaque) && isJsonObject(opaque.calls) ? opaque.calls : {};
}

/** Of parallel calls only the first one needs a signature. */
function withForeignMark(parts: readonly Part[], { id }: ModelInfo): readonly Part[] {
    const first = parts.findIndex(({ functionCall }) => functionCall !== undefined);
    const call = parts[first];
    if (call === undefined || call.thoughtSignature !== undefined || !isGemini3(id)) return parts;
    return parts.with(first, { ...call, thoughtSignature: FOREIGN });
}

function toFunctionResponse(result: ToolResultPart, model: ModelInfo): Part {
    const { callId, name, content, isError } = result;
    const media = sendableMedia(result, model).filter(isReadable).map(toInlineData);
    return {
        functionResponse: {
            id: toWellFormed(callId),
            name: toFunctionName(name),
            response: { [isError ? "error" : "output"]: toWellFormed(content) },
            // Older models take no media with a result.
            ...(media.length > 0 && isGemini3(model.id) && { parts: media }),
        },
    };
}

/** A function's name starts with a letter or an underscore. */
function toFunctionName(name: string): string {
    return toToolName(name.replace(/^(?![a-zA-Z_])/, "_"));
}

function isReadable({ mediaType }: Pick<ImagePart, "mediaType">): boolean {
    return mediaType !== "image/gif";
}

function toInlineData({ mediaType, data }: Pick<ImagePart, "mediaType" | "data">): Part {
    return { inlineData: { mimeType: mediaType, data } };
}
