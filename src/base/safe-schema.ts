import { type Fields, isFields } from "./fields.js";
import { problemsIn } from "./json-schema.js";
import { SCHEMA_KEYWORDS, SCHEMA_MAP_KEYWORDS, SchemaReferences } from "./schema-references.js";

/** Max references followed per check: two per level double with each level. */
const MAX_REFERENCES = 100_000;
/** Max length of a text times the size of the compiled pattern. */
const MAX_PATTERN_STEPS = 20_000_000;

const TYPES = ["string", "number", "integer", "boolean", "object", "array", "null"];
/** Annotations that the validator would act on, and what is converted separately. */
const DROPPED_KEYWORDS = new Set(["id", "default", "format", "pattern", "patternProperties"]);
/** Keywords that refuse a value because a subschema matches it, or does not say what matched. */
const STRICT_KEYWORDS = new Set([
    ...["not", "if", "then", "else", "maxContains"],
    ...["unevaluatedItems", "unevaluatedProperties"],
]);

/** A third-party schema that is safe to check against. */
export interface SafeSchema {
    readonly schema: Fields;
    /** All mismatches, as clauses. Throws RangeError if the check does not end. */
    problems(value: unknown, whole?: string): string[];
    /** The schema that a `$ref` in `schema` refers to. */
    target(reference: string): unknown;
}

/**
 * Converts a schema of any draft so that every check terminates: patterns are matched in linear
 * time, and references are counted. A pattern that cannot be matched in linear time is left to the
 * tool, and then so is whatever would refuse a value because of it. Throws if the schema is invalid.
 */
export async function toSafeSchema(root: object): Promise<SafeSchema> {
    const hasPatterns = /"pattern(Properties)?"/.test(JSON.stringify(root));
    const linear = hasPatterns ? (await import("./linear-pattern.js")).linearPattern : undefined;
    const conversion = new Conversion({ ...root }, (pattern) =>
        linear?.(pattern, MAX_PATTERN_STEPS)
    );
    const schema = conversion.convertAll();
    return {
        schema,
        problems(value, whole) {
            conversion.reset(value);
            return problemsIn(schema, value, whole, conversion.targets);
        },
        target: (reference) => conversion.targets[reference],
    };
}

class Conversion {
    /** Converted schemas by the names that `$ref` has for them. */
    readonly targets: Record<string, object | boolean> = {};
    private readonly names = new Map<Fields | boolean, string>();
    private readonly references: SchemaReferences;
    private readonly patterns = new Map<string, RegExp | undefined>();
    private readonly isLenient: boolean;
    private followed = 0;
    /** The names of all properties in the value being checked. */
    private properties: readonly string[] = [];

    constructor(
        private readonly root: Fields,
        private readonly toLinear: (pattern: string) => RegExp | undefined
    ) {
        this.references = new SchemaReferences(root);
        const { schemas } = this.references;
        this.isLenient = [...schemas].flatMap(patternsOf).some((each) => !this.pattern(each));
    }

    reset(value: unknown): void {
        this.followed = 0;
        this.properties = [...namesIn(value)];
    }

    convertAll(): Fields {
        const converted = this.convertSchema(this.root);
        // Converting a target can add more.
        for (const [target, name] of this.names) {
            this.targets[name] = isFields(target) ? this.convertSchema(target) : target;
        }
        return converted;
    }

    private convert(schema: unknown): unknown {
        if (Array.isArray(schema)) return schema.map((each) => this.convert(each));
        return isFields(schema) ? this.convertSchema(schema) : schema;
    }

    private convertSchema(schema: Fields): Fields {
        assertValid(schema);
        const result: Record<string, unknown> = {};
        const [target, ...others] = this.references
            .targetsOf(schema)
            .map((each) => this.name(each));
        if (target !== undefined) this.setReference(result, target);
        if (target !== undefined && this.references.refHidesSiblings) return result;
        const { pattern, patternProperties } = schema;
        for (const [keyword, value] of Object.entries({
            ...schema,
            ...convertDraft4Limits(schema),
        })) {
            if (value === undefined || this.isDropped(keyword, schema)) continue;
            result[keyword] = this.convertKeyword(keyword, value);
        }
        if (typeof pattern === "string") {
            const linear = this.pattern(pattern);
            if (linear) result.pattern = linear;
        }
        if (isFields(patternProperties)) this.setPatternProperties(result, patternProperties);
        if (this.isLenient && Array.isArray(result.oneOf)) {
            result.allOf = [...[result.allOf ?? []].flat(), { anyOf: result.oneOf }];
            delete result.oneOf;
        }
        if (others.length > 0) {
            const more = others.map((name) => this.setReference({}, name));
            result.allOf = [...[result.allOf ?? []].flat(), ...more];
        }
        return result;
    }

    private isDropped(keyword: string, { patternProperties }: Fields): boolean {
        // `$` keywords are resolved here; those with `~` are the validator's own.
        if (/^[$~]/.test(keyword) && keyword !== "$defs") return true;
        if (DROPPED_KEYWORDS.has(keyword)) return true;
        if (!this.isLenient) return false;
        if (STRICT_KEYWORDS.has(keyword)) return true;
        return keyword === "additionalProperties" && patternProperties !== undefined;
    }

    private convertKeyword(keyword: string, value: unknown): unknown {
        if (SCHEMA_KEYWORDS.has(keyword)) return this.convert(value);
        const isMap = SCHEMA_MAP_KEYWORDS.has(keyword) && isFields(value);
        if (!isMap) return value;
        // A dependency can also be a list of names.
        const entries = Object.entries(value).map(([name, each]) => [
            name,
            Array.isArray(each) ? each : this.convert(each),
        ]);
        return Object.fromEntries(entries);
    }

    private name(target: Fields | boolean): string {
        const name = this.names.get(target) ?? `#${this.names.size}`;
        this.names.set(target, name);
        return name;
    }

    private setReference(schema: object, name: string): object {
        const get = () => {
            this.followed += 1;
            if (this.followed > MAX_REFERENCES) throw new RangeError("its references are circular");
            return name;
        };
        return Object.defineProperty(schema, "$ref", { get, enumerable: true });
    }

    /** The validator would compile the patterns itself, so it gets the names that each matches. */
    private setPatternProperties(schema: object, patternProperties: Fields): void {
        const parts = Object.entries(patternProperties).flatMap(([pattern, value]) => {
            const linear = this.pattern(pattern);
            return linear ? [{ linear, value: this.convert(value) }] : [];
        });
        let seen: readonly string[] | undefined;
        let byNames: Fields = {};
        const get = () => {
            if (seen === this.properties) return byNames;
            seen = this.properties;
            byNames = Object.fromEntries(
                parts.map(({ linear, value }, index) => {
                    const matched = this.properties.filter((name) => linear.test(name));
                    return [literally(matched, index), value];
                })
            );
            return byNames;
        };
        Object.defineProperty(schema, "patternProperties", { get, enumerable: true });
    }

    private pattern(pattern: string): RegExp | undefined {
        if (!this.patterns.has(pattern)) this.patterns.set(pattern, this.toLinear(pattern));
        return this.patterns.get(pattern);
    }
}

function patternsOf({ pattern, patternProperties }: Fields): readonly string[] {
    const names = isFields(patternProperties) ? Object.keys(patternProperties) : [];
    return typeof pattern === "string" ? [pattern, ...names] : names;
}

/** A pattern for exactly these names. The never-matching end, `[]`, makes it unique. */
function literally(names: readonly string[], index: number): string {
    const escaped = names.map((name) => name.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&"));
    return `^(?:${[...escaped, `[]{${index + 1}}`].join("|")})$`;
}

function namesIn(value: unknown, names = new Set<string>()): ReadonlySet<string> {
    if (typeof value !== "object" || value === null) return names;
    if (!Array.isArray(value)) for (const name of Object.keys(value)) names.add(name);
    for (const inner of Object.values(value)) namesIn(inner, names);
    return names;
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
