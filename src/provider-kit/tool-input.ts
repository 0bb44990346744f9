import { isFields } from "../base/fields.js";
import type { JsonObject } from "../plugin/index.js";

/** A call's arguments, or the text that was to be them. */
export interface ToolInput {
    readonly input: JsonObject;
    readonly malformedInput?: string;
}

/**
 * The fields of a `tool-call` event from the streamed arguments; blank text gives `initial`, or `{}`.
 * What is not a JSON object is never guessed at: it comes back as `malformedInput`.
 */
export function parseInput(json: string, initial?: unknown): ToolInput {
    if (json.trim() === "") return { input: isJsonObject(initial) ? initial : {} };
    try {
        const input: unknown = JSON.parse(json);
        if (isJsonObject(input)) return { input };
    } catch {
        // Told to the model as malformed, below.
    }
    return { input: {}, malformedInput: json };
}

/** Whether a value that came out of JSON is an object. */
export function isJsonObject(value: unknown): value is JsonObject {
    return isFields(value);
}
