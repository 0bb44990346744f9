import type { JsonObject, JsonValue } from "./json.js";

/** Plain text. */
export interface TextPart {
    readonly type: "text";
    readonly text: string;
}

/** An image the user attached. Providers whose model takes no images leave it out. */
export interface ImagePart {
    readonly type: "image";
    /** `image/png`, `image/jpeg`, `image/gif` or `image/webp`. */
    readonly mediaType: string;
    /** The bytes in base64. */
    readonly data: string;
    /** What the user called it; shown, and sent to models that take no images. */
    readonly name?: string;
}

/**
 * What the model thought before it answered. It belongs to the provider and model that wrote it:
 * another provider must leave it out of its request, never send it in a form of its own.
 */
export interface ThinkingPart {
    readonly type: "thinking";
    /** The readable summary; empty where the vendor gives none. */
    readonly text: string;
    /** The provider's id. */
    readonly provider: string;
    /** The model's id at that provider. */
    readonly model: string;
    /** Signatures, encrypted items: opaque to North and handed back unmodified. */
    readonly opaque?: JsonValue;
}

/** The model asks for a tool. */
export interface ToolCallPart {
    readonly type: "tool-call";
    /** Unique within the conversation; the result refers to it. */
    readonly callId: string;
    readonly name: string;
    /** The arguments; `{}` where `malformedInput` or `refusedInput` is set. */
    readonly input: JsonObject;
    /** The text that was to be JSON and was not. Such a call is answered with an error, never run. */
    readonly malformedInput?: string;
    /** Why the input was not kept: too large, or too deep. Such a call is never run either. */
    readonly refusedInput?: string;
}

/** The one result of one call. */
export interface ToolResultPart {
    readonly type: "tool-result";
    readonly callId: string;
    readonly name: string;
    /** Compact JSON of `{ok, data | error}`, exactly as the model reads it. */
    readonly content: string;
    readonly isError: boolean;
}

/** What the user said, and what travelled with it (rules, attachments, reminders). */
export interface UserMessage {
    readonly role: "user";
    readonly content: readonly (TextPart | ImagePart)[];
}

/** What a model said, its parts in the order in which they came. */
export interface AssistantMessage {
    readonly role: "assistant";
    readonly content: readonly (TextPart | ThinkingPart | ToolCallPart)[];
}

/** The results of all calls of the assistant message before it, in call order. */
export interface ToolMessage {
    readonly role: "tool";
    readonly content: readonly ToolResultPart[];
}

/**
 * One message of a conversation. Messages are immutable and keep their identity from request to
 * request, so that a provider may cache the bytes it made of one (`WeakMap<Message, Buffer>`).
 */
export type Message = UserMessage | AssistantMessage | ToolMessage;
