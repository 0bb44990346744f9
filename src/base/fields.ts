import { attempt } from "./attempt.js";

export type Fields = Readonly<Record<string, unknown>>;

/** A field of its own: a name from outside may be that of something every object has, as `constructor`. */
export function ownValue<Value>(
    fields: Readonly<Record<string, Value>>,
    name: string
): Value | undefined {
    return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

export function isFields(value: unknown): value is Fields {
    return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value of a JSON text, which some editors begin with a BOM; `undefined` if the text is none. */
export function jsonIn(text: string): unknown {
    return attempt((): unknown => JSON.parse(text.replace(/^\uFEFF/, "")));
}

/** The object that a JSON text is; `undefined` if it is none. */
export function fieldsIn(text: string): Fields | undefined {
    const value = jsonIn(text);
    return isFields(value) ? value : undefined;
}

/** JSON nested deeper overflows the stack of whoever walks it. */
export const MAX_LEVELS = 100;

export function isTooDeep(value: unknown, levels = MAX_LEVELS): boolean {
    if (typeof value !== "object" || value === null) return false;
    return levels === 0 || Object.values(value).some((inner) => isTooDeep(inner, levels - 1));
}
