import { isDeepStrictEqual } from "node:util";
import type { JsonObject } from "../plugin/index.js";

/** Whether a value survives JSON. Fields that are `undefined` are ignored, as JSON drops them. */
export function isJson(value: unknown): boolean {
    if (value === undefined) return false;
    const text = JSON.stringify(value);
    return text !== undefined && isDeepStrictEqual(JSON.parse(text), withoutUndefined(value));
}

function withoutUndefined(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(withoutUndefined);
    if (typeof value !== "object" || value === null) return value;
    if (Object.getPrototypeOf(value) !== Object.prototype) return value;
    const entries = Object.entries(value).filter(([, item]) => item !== undefined);
    return Object.fromEntries(entries.map(([key, item]) => [key, withoutUndefined(item)]));
}

export function isOneLine(value: unknown): boolean {
    return typeof value === "string" && value.trim() !== "" && !/[\r\n]/.test(value);
}

/** A copy that throws on writes. */
export function frozenCopy(input: JsonObject): JsonObject {
    return freeze(structuredClone(input));
}

function freeze<Value>(value: Value): Value {
    if (typeof value === "object" && value !== null) {
        for (const item of Object.values(value)) freeze(item);
        Object.freeze(value);
    }
    return value;
}
