import { attempt } from "./attempt.js";

/** An unvalidated JSON object. */
export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
    return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value of a JSON text; `undefined` if the text is none. */
export function jsonIn(text: string): unknown {
    return attempt((): unknown => JSON.parse(text));
}

/** The object that a JSON text is; `undefined` if it is none. */
export function fieldsIn(text: string): Fields | undefined {
    const value = jsonIn(text);
    return isFields(value) ? value : undefined;
}
