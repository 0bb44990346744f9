import { createHash } from "node:crypto";
import type {
    ContentBlock,
    Message as VendorMessage,
    ToolResultContentBlock,
    ToolUseBlock,
} from "@aws-sdk/client-bedrock-runtime";
import type {
    AssistantMessage,
    DocumentPart,
    Message,
    ModelInfo,
    TextPart,
    ThinkingPart,
    ToolResultPart,
} from "north-cli/plugin";
import {
    CLAUDE_IMAGES,
    createMediaLimit,
    type IdentifierRules,
    isBlank,
    isJsonObject,
    isOwnThinking,
    sendableMedia,
    type SendableImage,
    sendableParts,
    toCallId,
    toToolName,
    toWellFormed,
} from "north-cli/provider-kit";
import { BEDROCK } from "./vendor.js";

// https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ContentBlock.html

/** The SDK's type of JSON. */
export type DocumentType = NonNullable<ToolUseBlock["input"]>;

const CALL_IDS: IdentifierRules = { pattern: /^[a-zA-Z0-9_-]+$/, maxLength: 64 };

/** https://docs.aws.amazon.com/bedrock/latest/userguide/inference-api-restrictions.html */
const withinDocuments = createMediaLimit({ type: "document", most: 5 });
const withinImages = createMediaLimit(CLAUDE_IMAGES);

/** Proves a thought; in `opaque` beside `boundTo`, the fingerprint of what was sent before it. */
export type Proof = { readonly signature: string } | { readonly redacted: string };

/** The messages in the vendor's format, and the fingerprint of all of them. */
export interface Mapped {
    readonly messages: VendorMessage[];
    readonly fingerprint: string;
}

/**
 * Roles alternate, and nothing is empty. Claude refuses thinking whose preceding context has
 * changed, so each reply is compared with the fingerprint that it was made from.
 * https://platform.claude.com/docs/en/build-with-claude/preserved-thinking
 */
export function toVendorMessages(
    messages: readonly Message[],
    model: ModelInfo,
    preamble: string
): Mapped {
    const mapped: VendorMessage[] = [];
    let fingerprint = digest(preamble);
    for (const message of withinImages(withinDocuments(messages, model), model)) {
        const content = toContent(message, model, fingerprint);
        if (content.length === 0) continue;
        const role = message.role === "assistant" ? "assistant" : "user";
        const last = mapped.at(-1);
        if (last?.role === role) last.content?.push(...content);
        else mapped.push({ role, content });
        fingerprint = digest(fingerprint + role + JSON.stringify(content));
    }
    return { messages: mapped, fingerprint };
}

function digest(text: string): string {
    return createHash("sha256").update(text).digest("hex").slice(0, 32);
}

function toContent(message: Message, model: ModelInfo, boundTo: string): ContentBlock[] {
    switch (message.role) {
        case "user":
            return sendableParts(message, model).flatMap(toBlocks);
        case "assistant":
            return toReplyBlocks(message, model, boundTo);
        case "tool":
            return message.content.map((result) => toResult(result, model));
    }
}

function toReplyBlocks(
    { content }: AssistantMessage,
    model: ModelInfo,
    boundTo: string
): ContentBlock[] {
    const blocks = content.flatMap((part): ContentBlock[] => {
        switch (part.type) {
            case "text":
                return toBlocks(part);
            case "thinking":
                return toThought(part, model, boundTo);
            case "tool-call": {
                const toolUseId = toCallId(part.callId, CALL_IDS);
                const input = part.input as DocumentType;
                return [{ toolUse: { toolUseId, name: toToolName(part.name), input } }];
            }
        }
    });
    // The reply was cut off while thinking: thinking may not be the last block.
    while (blocks.at(-1)?.reasoningContent) blocks.pop();
    return blocks;
}

function toThought(part: ThinkingPart, model: ModelInfo, boundTo: string): ContentBlock[] {
    const { text, opaque } = part;
    if (!isOwnThinking(part, BEDROCK.id, model) || !isJsonObject(opaque)) return [];
    if (model.thinking === "adaptive" && opaque.boundTo !== boundTo) return [];
    const { signature, redacted } = opaque;
    if (typeof redacted === "string") {
        return [{ reasoningContent: { redactedContent: bytesOf(redacted) } }];
    }
    if (typeof signature !== "string" || signature === "") return [];
    return [{ reasoningContent: { reasoningText: { text, signature } } }];
}

function toResult(result: ToolResultPart, model: ModelInfo): ContentBlock {
    const { callId, content, isError } = result;
    const text = { text: isBlank(content) ? "(empty)" : toWellFormed(content) };
    const media = sendableMedia(result, model).map((part, index) =>
        toMediaBlock(part, `${callId} ${index}`)
    ) as ToolResultContentBlock[];
    return {
        toolResult: {
            toolUseId: toCallId(callId, CALL_IDS),
            content: [text, ...media],
            status: isError ? "error" : "success",
        },
    };
}

function toBlocks(part: TextPart | SendableImage): ContentBlock[] {
    if (part.type === "image") return [toMediaBlock(part)];
    return isBlank(part.text) ? [] : [{ text: toWellFormed(part.text) }];
}

/** `source` tells the same document from its other copies in the conversation. */
function toMediaBlock(part: SendableImage | DocumentPart, source = ""): ContentBlock {
    const bytes = bytesOf(part.data);
    if (part.type === "image") {
        return { image: { format: IMAGES[part.mediaType], source: { bytes } } };
    }
    // Unique and neutral, as the vendor asks: it takes few characters and reads like a prompt.
    const name = `document ${digest(source).slice(0, 8)}`;
    return { document: { format: "pdf", name, source: { bytes } } };
}

const IMAGES = {
    "image/png": "png",
    "image/jpeg": "jpeg",
    "image/gif": "gif",
    "image/webp": "webp",
} as const satisfies Record<SendableImage["mediaType"], string>;

/** Its JSON is the base64 that it came as, which is what fingerprints need. */
function bytesOf(data: string): Uint8Array {
    return Object.assign(Buffer.from(data, "base64"), { toJSON: () => data });
}
