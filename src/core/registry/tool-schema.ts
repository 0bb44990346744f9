import { attempt } from "../../base/attempt.js";
import { truncate } from "../../base/format.js";
import { type Fields, isFields } from "../../base/fields.js";
import { convertDraft4Limits } from "../../base/safe-schema.js";
import { resolvePointer } from "../../base/schema-references.js";
import type { JsonSchema, Tool, ToolSchema } from "../../plugin/index.js";

/** Converts a keyword's value; `undefined` drops the keyword. */
type Keyword = (value: unknown, inner: (schema: unknown) => object) => unknown;

/** OpenAI's limit for descriptions; longer ones are not needed. */
const MAX_TEXT_LENGTH = 1_024;

const TYPES = new Set<unknown>("string number integer boolean object array null".split(" "));

const when =
    (fits: (value: unknown) => boolean): Keyword =>
    (value) =>
        fits(value) ? value : undefined;

const isText = (value: unknown) => typeof value === "string";
const isNames = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);

const anything = when(() => true);
const text = when(isText);
const list = when((value) => Array.isArray(value) && value.length > 0);

/** Vendors that validate schemas reject duplicate values. */
const distinct: Keyword = (value) =>
    Array.isArray(value) && value.length > 0
        ? [...new Map(value.map((each) => [JSON.stringify(each), each])).values()]
        : undefined;

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
 * The keywords to send, and how to check their values. Others are annotations for other programs,
 * or mistakes that fail the whole request at a vendor that validates.
 * https://json-schema.org/draft/2020-12/meta/validation
 */
const KEYWORDS: ReadonlyMap<string, Keyword> = new Map<string, Keyword>([
    ["title", text],
    ["description", shortText],
    ["type", typeNames],
    ["enum", distinct],
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

/** Maximum depth of references before a schema is cut. */
const MAX_DEPTH = 40;
const MAX_REFERENCES = 200;

const FIELD_NAME = /^[a-zA-Z0-9_.-]{1,64}$/;

/**
 * A tool as presented to models. Plugins and MCP servers use schemas of every draft, and a vendor
 * that rejects one tool rejects the whole request. So only keywords that all vendors accept are
 * sent; input is checked against the tool's own schema.
 */
export function toToolSchema({ name, description, inputSchema }: Tool): ToolSchema {
    return {
        name,
        description: shortText(description) ?? "",
        inputSchema: schemaForModels(inputSchema),
    };
}

/**
 * Converts a schema to an object of fields without a top-level union (Anthropic, OpenAI), valid in
 * drafts 7 (Mistral) and 2020-12 (Anthropic), without references (Mistral) and without arrays that
 * lack `items` (OpenAI).
 */
export function schemaForModels(schema: JsonSchema): JsonSchema {
    const { anyOf, oneOf, allOf, ...others } = convert(schema);
    const { not: _not, enum: _values, const: _value, ...kept } = others;
    const parts = [allOf, anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list : []));
    const ofParts = parts.map(({ properties }: Fields) => properties);
    const properties = Object.assign({}, ...ofParts.reverse(), kept.properties) as Fields;
    const required = Array.isArray(kept.required) ? kept.required : [];
    const usable = Object.entries(properties).filter(([name]) => FIELD_NAME.test(name));
    const names = usable.map(([name]) => name);
    return {
        ...kept,
        type: "object",
        properties: Object.fromEntries(usable),
        ...(kept.required === undefined
            ? {}
            : { required: required.filter((name) => names.includes(name)) }),
    };
}

function convert(root: JsonSchema): Fields {
    let references = 0;
    return part(root, []);

    /** `path`: the references that led here, which must not recur; its length is the depth. */
    function part(schema: unknown, path: readonly (string | undefined)[]): Fields {
        if (!isFields(schema) || path.length > MAX_DEPTH) return {};
        const { $ref, ...fields } = schema;
        if (typeof $ref === "string") {
            references += 1;
            const isUsable = references <= MAX_REFERENCES && !path.includes($ref);
            const target = isUsable ? resolvePointer(root, $ref) : undefined;
            return part({ ...target, ...fields }, [...path, $ref]);
        }
        const inner = (value: unknown) => part(value, [...path, undefined]);
        const converted = Object.entries(inNewestDraft(fields)).map(
            ([name, value]) => [name, KEYWORDS.get(name)?.(value, inner)] as const
        );
        return Object.fromEntries(converted.filter(([, value]) => value !== undefined));
    }
}

/** Converts draft 7 tuples and draft 4 limits. */
function inNewestDraft(schema: Fields): Fields {
    const { additionalItems, ...fields } = schema;
    const isPositions = Array.isArray(fields.items);
    const positions = isPositions ? fields.items : fields.prefixItems;
    const rest = isPositions ? additionalItems : fields.items;
    const isList = [fields.type].flat().includes("array") || Array.isArray(positions);
    return {
        ...fields,
        ...convertDraft4Limits(fields),
        ...(isPositions ? { prefixItems: positions } : {}),
        ...(isList ? { items: rest ?? {} } : {}),
        ...(rest === false && Array.isArray(positions) ? { maxItems: positions.length } : {}),
    };
}

/** Truncates a text; `undefined` if it is not one. */
function shortText(value: unknown): string | undefined {
    return typeof value === "string" ? truncate(value, MAX_TEXT_LENGTH) : undefined;
}

function typeNames(value: unknown): unknown {
    const names = [value].flat().filter((name) => TYPES.has(name));
    const unique = [...new Set(names)];
    return unique.length < 2 ? unique[0] : unique;
}

/** Drops patterns that are not valid JS regexes. */
function pattern(value: unknown): unknown {
    const isValid = typeof value === "string" && (compiles(value, "u") || compiles(value, ""));
    return isValid ? value : undefined;
}

function compiles(expression: string, flags: string): boolean {
    return attempt(() => new RegExp(expression, flags)) !== undefined;
}
