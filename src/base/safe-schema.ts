import { type Fields, isFields } from "./fields.js";

/** Max references followed per check: two per level double with each level. */
const MAX_REFERENCES = 100_000;
/** Max length of a text times the size of the compiled pattern. */
const MAX_PATTERN_STEPS = 20_000_000;

const TYPES = ["string", "number", "integer", "boolean", "object", "array", "null"];
/** Keywords that hold plain values, and keywords that hold schemas by name. */
const VALUE_KEYWORDS = new Set(["const", "enum", "required", "type", "dependentRequired"]);
const SCHEMA_MAP_KEYWORDS = new Set([
    "properties",
    "$defs",
    "definitions",
    "dependentSchemas",
    "dependencies",
]);
/** Annotations, and patterns, which could backtrack forever; `pattern` is converted separately. */
const DROPPED_KEYWORDS = new Set(["default", "examples", "format", "pattern", "patternProperties"]);

/** A third-party schema that is safe to check against. */
export interface SafeSchema {
    readonly schema: Fields;
    /** Must be called before each check. */
    reset(): void;
}

/**
 * Converts a schema of any draft so that every check terminates: patterns are matched in linear
 * time or left to the tool, and references are counted. Throws if the schema is invalid.
 */
export async function toSafeSchema(root: object): Promise<SafeSchema> {
    const hasPatterns = JSON.stringify(root).includes('"pattern"');
    const toPattern = hasPatterns ? (await import("./linear-pattern.js")).linearPattern : undefined;
    let references = 0;

    function convert(schema: unknown): unknown {
        if (Array.isArray(schema)) return schema.map(convert);
        if (!isFields(schema)) return schema;
        assertValid(schema);
        const { $ref, pattern, patternProperties, additionalProperties, ...kept } = schema;
        const result: Record<string, unknown> = {};
        for (const [keyword, value] of Object.entries({
            ...kept,
            ...convertDraft4Limits(schema),
        })) {
            if (DROPPED_KEYWORDS.has(keyword) || value === undefined) continue;
            const isNamed = SCHEMA_MAP_KEYWORDS.has(keyword) && isFields(value);
            if (isNamed) result[keyword] = mapValues(value, convert);
            else result[keyword] = VALUE_KEYWORDS.has(keyword) ? value : convert(value);
        }
        if (patternProperties === undefined && additionalProperties !== undefined) {
            result.additionalProperties = convert(additionalProperties);
        }
        if (typeof pattern === "string") {
            const linear = toPattern?.(pattern, MAX_PATTERN_STEPS);
            if (linear) result.pattern = linear;
        }
        if (typeof $ref === "string") defineReference(result, $ref);
        return result;
    }

    function defineReference(schema: object, reference: string): void {
        if (reference.startsWith("#") && resolvePointer(root, reference) === undefined) {
            throw new TypeError(`it refers to ${reference}, which does not exist`);
        }
        const get = () => {
            references += 1;
            if (references > MAX_REFERENCES) throw new RangeError("its references never end");
            return reference;
        };
        Object.defineProperty(schema, "$ref", { get, enumerable: true });
    }

    const schema = convert(root);
    return { schema: isFields(schema) ? schema : {}, reset: () => void (references = 0) };
}

function assertValid({ type, enum: values, required }: Fields): void {
    const unknown = [type].flat().find((name) => name !== undefined && !isType(name));
    if (unknown !== undefined) throw new TypeError(`there is no type ${JSON.stringify(unknown)}`);
    if (values !== undefined && !Array.isArray(values)) throw new TypeError("`enum` is not a list");
    const isRequired = required === undefined || typeof required === "boolean";
    if (!isRequired && !Array.isArray(required)) throw new TypeError("`required` is not a list");
}

function isType(name: unknown): boolean {
    return typeof name === "string" && TYPES.includes(name);
}

function mapValues(fields: Fields, map: (value: unknown) => unknown): Fields {
    return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, map(value)]));
}

/** Resolves a reference within a schema: `#/$defs/a`. Anchors are not resolved. */
export function resolvePointer(root: object, reference: string): Fields | undefined {
    const [start = "", ...steps] = reference.slice(1).split("/");
    if (start !== "") return {};
    const found = steps.reduce<unknown>((value, step) => {
        const name = decodeStep(step).replaceAll("~1", "/").replaceAll("~0", "~");
        return typeof value === "object" && value !== null && Object.hasOwn(value, name)
            ? Reflect.get(value, name)
            : undefined;
    }, root);
    return isFields(found) ? found : undefined;
}

function decodeStep(step: string): string {
    try {
        return decodeURIComponent(step);
    } catch {
        return step;
    }
}

/** Converts draft 4's boolean `exclusiveMinimum` and `exclusiveMaximum` to numbers. */
export function convertDraft4Limits(schema: Fields): Fields {
    return {
        ...convertLimit(schema, "minimum", "exclusiveMinimum"),
        ...convertLimit(schema, "maximum", "exclusiveMaximum"),
    };
}

function convertLimit(fields: Fields, limit: string, exclusive: string): Fields {
    if (typeof fields[exclusive] !== "boolean") return {};
    if (fields[exclusive] === false) return { [exclusive]: undefined };
    return { [limit]: undefined, [exclusive]: fields[limit] };
}
