import { createHash } from "node:crypto";
import type {
    AssistantMessage,
    ContentChunk,
    SystemMessage,
    ToolMessage,
    UserMessage,
} from "@mistralai/mistralai/models/components";
import type {
    AssistantMessage as Assistant,
    JsonObject,
    Message,
    ModelInfo,
} from "north-cli/plugin";
import { PROVIDER_ID } from "./models.js";

// https://docs.mistral.ai/api/endpoint/chat

export type VendorMessage =
    SystemMessage | UserMessage | ToolMessage | (AssistantMessage & { role: "assistant" });

/** The whole conversation in the vendor's form and order. */
export function toVendorMessages(
    system: string,
    messages: readonly Message[],
    model: ModelInfo
): VendorMessage[] {
    const all: VendorMessage[] = system === "" ? [] : [{ role: "system", content: system }];
    for (const next of messages.flatMap((message) => toMessages(message, model))) {
        // A turn that was interrupted after its tools: the vendor refuses a user's message there.
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
            const content = message.content.flatMap(
                (part): (ContentChunk & { type: "text" | "image_url" })[] => {
                    if (part.type === "text") return toTextChunk(part.text);
                    if (model.images !== true) {
                        return toTextChunk(`[Image: ${part.name ?? part.mediaType}]`);
                    }

                    const imageUrl = `data:${part.mediaType};base64,${part.data}`;
                    return [{ type: "image_url", imageUrl }];
                }
            );
            return content.length === 0 ? [] : [{ role: "user", content }];
        }
        case "assistant":
            return toAssistantMessages(message, model);
        case "tool":
            return message.content.map(({ callId, name, content }) => ({
                role: "tool",
                toolCallId: toCallId(callId),
                name: toToolName(name),
                content: wellFormed(content),
            }));
    }
}

function toAssistantMessages(
    { content }: Assistant,
    model: ModelInfo
): (AssistantMessage & { role: "assistant" })[] {
    const chunks = content.flatMap((part): ContentChunk[] => {
        if (part.type === "text") return toTextChunk(part.text);
        if (part.type !== "thinking" || part.text.trim() === "") return [];
        // Thoughts of another model are not for this one.
        if (part.provider !== PROVIDER_ID || part.model !== model.id) return [];
        const signature = signatureIn(part.opaque);
        const thinking = toTextChunk(part.text);
        return [{ type: "thinking", thinking, ...(signature ? { signature } : {}) }];
    });
    const toolCalls = content.flatMap((part) =>
        part.type === "tool-call"
            ? [
                  {
                      id: toCallId(part.callId),
                      type: "function" as const,
                      function: {
                          name: toToolName(part.name),
                          arguments: toArguments(part.input),
                      },
                  },
              ]
            : []
    );
    if (toolCalls.length > 0) return [{ role: "assistant", content: chunks, toolCalls }];
    const hasText = chunks.some(({ type }) => type === "text");
    return hasText ? [{ role: "assistant", content: chunks }] : [];
}

function signatureIn(opaque: unknown): string | undefined {
    if (typeof opaque !== "object" || opaque === null || !("signature" in opaque)) return undefined;
    return typeof opaque.signature === "string" ? opaque.signature : undefined;
}

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/**
 * The vendor takes ids of exactly nine letters and digits. Those of other vendors are replaced by a
 * digest: the same in each request, so that calls and results still belong together.
 */
export function toCallId(id: string): string {
    if (/^[a-zA-Z0-9]{9}$/.test(id)) return id;
    const digest = createHash("sha256").update(id).digest();
    return [...digest.subarray(0, 9)].map((byte) => ALPHABET[byte % ALPHABET.length]).join("");
}

function toTextChunk(text: string): { type: "text"; text: string }[] {
    return text.trim() === "" ? [] : [{ type: "text", text: wellFormed(text) }];
}

function toArguments(input: JsonObject): string {
    return JSON.stringify(input, (_key, value: unknown) =>
        typeof value === "string" ? wellFormed(value) : value
    );
}

/** Half of a surrogate pair, left by a cut in a result, would make the vendor reject all of it. */
function wellFormed(text: string): string {
    return text.replace(/\p{Surrogate}/gu, "\ufffd");
}

/** The name of a tool as the vendor takes it; a model may have called one that does not exist. */
function toToolName(name: string): string {
    return name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "_";
}
