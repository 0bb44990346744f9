import type { JsonObject, JsonValue } from "./json.js";

export type { Mode } from "./modes.js";

export interface TextPart {
    readonly type: "text";
    readonly text: string;
}

/** An image attached by the user. Providers omit it for models without vision. */
export interface ImagePart {
    readonly type: "image";
    /** `image/png`, `image/jpeg`, `image/gif` or `image/webp`. */
    readonly mediaType: string;
    /** Base64. */
    readonly data: string;
    /** The user's name for it; shown, and sent to models without vision. */
    readonly name?: string;
}

/** A PDF. Providers omit it for models without PDF support. */
export interface DocumentPart {
    readonly type: "document";
    readonly mediaType: "application/pdf";
    /** Base64. */
    readonly data: string;
    readonly name?: string;
}

/** A repository file that a result refers to; the model receives its path. */
export interface FileReferencePart {
    readonly type: "file";
    /** Relative to the root. */
    readonly path: string;
}

/**
 * The model's reasoning before its answer. It belongs to the provider and model that wrote it:
 * other providers must omit it, never convert it.
 */
export interface ThinkingPart {
    readonly type: "thinking";
    /** A readable summary; empty if the vendor provides none. */
    readonly text: string;
    /** Provider id. */
    readonly provider: string;
    /** Model id at that provider. */
    readonly model: string;
    /** Signatures or encrypted items, opaque to North and sent back unmodified. */
    readonly opaque?: JsonValue;
}

export interface ToolCallPart {
    readonly type: "tool-call";
    /** Unique within the conversation; the result refers to it. */
    readonly callId: string;
    readonly name: string;
    /** The arguments; `{}` if `malformedInput` or `refusedInput` is set. */
    readonly input: JsonObject;
    /** Arguments that are not valid JSON. The call gets an error result and is never run. */
    readonly malformedInput?: string;
    /** Why the input was dropped: too large or too deep. The call is never run. */
    readonly refusedInput?: string;
}

/** The single result of a call. */
export interface ToolResultPart {
    readonly type: "tool-result";
    readonly callId: string;
    readonly name: string;
    /** Compact JSON of `{ok, data | error}`, exactly as sent to the model. */
    readonly content: string;
    readonly isError: boolean;
    /** Also named in `content`, so providers may omit what they or the model do not support. */
    readonly media?: readonly (ImagePart | DocumentPart)[];
}

/**
 * The last text part is what the user sent; the parts before it are added by North (environment,
 * attachments, reminders).
 */
export interface UserMessage {
    readonly role: "user";
    readonly content: readonly (TextPart | ImagePart)[];
}

/** The model's reply, with its parts in order of arrival. */
export interface AssistantMessage {
    readonly role: "assistant";
    readonly content: readonly (TextPart | ThinkingPart | ToolCallPart)[];
}

/** The results of all calls of the preceding assistant message, in call order. */
export interface ToolMessage {
    readonly role: "tool";
    readonly content: readonly ToolResultPart[];
}

/**
 * A message of a conversation. Messages are immutable and keep their identity across requests, so a
 * provider may cache their serialized bytes (`WeakMap<Message, Buffer>`).
 */
export type Message = UserMessage | AssistantMessage | ToolMessage;
