import { isFields } from "../../base/fields.js";

/** Makes a schema inside of another one presentable. */
type Inner = (schema: unknown) => object;

/** A keyword's value as it is sent; `undefined` leaves the keyword out. */
type Keyword = (value: unknown, inner: Inner) => unknown;

/** OpenAI's limit for what a tool does; as long as any explanation needs to be. */
const LONGEST_TEXT = 1_024;
const TYPES: readonly unknown[] = [
    "string",
    "number",
    "integer",
    "boolean",
    "object",
    "array",
    "null",
];

/** The text; `undefined` where it is none. */
export function shortText(value: unknown): string | undefined {
    if (typeof value !== "string") return undefined;
    return value.length <= LONGEST_TEXT ? value : `${value.slice(0, LONGEST_TEXT - 1)}…`;
}

const when =
    (fits: (value: unknown) => boolean): Keyword =>
    (value) =>
        fits(value) ? value : undefined;
const isName = (value: unknown) => typeof value === "string";
const isNames = (value: unknown): value is string[] =>
    Array.isArray(value) && value.every((name) => isName(name));
const anything = when(() => true);
const text = when(isName);
const list = when((value) => Array.isArray(value) && value.length > 0);
const number = when((value) => typeof value === "number");
const count = when((value) => Number.isInteger(value) && Number(value) >= 0);
const flag = when((value) => typeof value === "boolean");

const schema: Keyword = (value, inner) => inner(value);
const schemas: Keyword = (value, inner) =>
    Array.isArray(value) && value.length > 0 ? value.map(inner) : undefined;
const namedSchemas: Keyword = (value, inner) =>
    isFields(value)
        ? Object.fromEntries(Object.entries(value).map(([name, part]) => [name, inner(part)]))
        : undefined;

/**
 * The keywords that are sent, and what they must hold: what else a schema says is an annotation for
 * other programs, or a mistake that fails the whole request at a vendor who checks.
 * https://json-schema.org/draft/2020-12/meta/validation
 */
export const KEYWORDS: ReadonlyMap<string, Keyword> = new Map<string, Keyword>([
    ["title", text],
    ["description", shortText],
    ["type", typeNames],
    ["enum", list],
    ["const", anything],
    ["default", anything],
    ["examples", list],
    ["format", text],
    ["pattern", pattern],
    ["minLength", count],
    ["maxLength", count],
    ["minimum", number],
    ["maximum", number],
    ["exclusiveMinimum", number],
    ["exclusiveMaximum", number],
    ["multipleOf", when((value) => Number(value) > 0 && typeof value === "number")],
    ["items", schema],
    ["prefixItems", schemas],
    ["minItems", count],
    ["maxItems", count],
    ["uniqueItems", flag],
    ["properties", namedSchemas],
    [
        "additionalProperties",
        (value, inner) => (isFields(value) ? inner(value) : flag(value, inner)),
    ],
    ["required", (value) => (isNames(value) ? [...new Set(value)] : undefined)],
    ["minProperties", count],
    ["maxProperties", count],
    ["anyOf", schemas],
    ["oneOf", schemas],
    ["allOf", schemas],
    ["not", schema],
]);

function typeNames(value: unknown): unknown {
    const names = [value].flat().filter((name) => TYPES.includes(name));
    const unique = [...new Set(names)];
    return unique.length < 2 ? unique[0] : unique;
}

/** One that nobody can read is left to the tool. */
function pattern(value: unknown): unknown {
    return typeof value === "string" && ["u", ""].some((flags) => compiles(value, flags))
        ? value
        : undefined;
}

function compiles(expression: string, flags: string): boolean {
    try {
        new RegExp(expression, flags);
        return true;
    } catch {
        return false;
    }
}
