import { isFields, jsonIn } from "../base/fields.js";
import type { JsonObject } from "../plugin/index.js";

/** A call's arguments, or the text that should have been JSON. */
export interface ToolInput {
    readonly input: JsonObject;
    readonly malformedInput?: string;
}

/**
 * The fields of a `tool-call` event from streamed arguments; blank text gives `initial`, or `{}`.
 * Anything but a JSON object is returned as `malformedInput`, never guessed at.
 */
export function parseInput(json: string, initial?: unknown): ToolInput {
    if (json.trim() === "") return { input: isJsonObject(initial) ? initial : {} };
    const input = jsonIn(json);
    return isJsonObject(input) ? { input } : { input: {}, malformedInput: json };
}

/** Whether a parsed JSON value is an object. */
export function isJsonObject(value: unknown): value is JsonObject {
    return isFields(value);
}
