import { type Fields, isFields } from "./fields.js";
import { problemsIn } from "./json-schema.js";
import { lookUp, readableSchema, type ReadableSchema } from "./readable-schema.js";

export type CheckedInput<Input> =
    | {
          readonly ok: true;
          /** Unchanged if it fits the schema, else coerced. */
          readonly input: Input;
          /** One sentence for each coercion. */
          readonly notes: readonly string[];
      }
    | {
          readonly ok: false;
          readonly error: {
              /** `broken-schema`: the schema itself cannot be used. */
              readonly code: "invalid-input" | "broken-schema";
              readonly message: string;
              readonly hint?: string;
          };
      };

const MOST_PROBLEMS = 5;
/** Models add these to any call; they have no effect. */
const REMARKS = new Set(["description", "explanation", "reason", "rationale"]);

const known = new WeakMap<object, Promise<ReadableSchema>>();

/** Checks input against a tool's schema of any draft. Unambiguous mistakes are coerced. */
export async function checkInput<Input extends Fields>(
    schema: object,
    input: Input
): Promise<CheckedInput<Input>> {
    const reading = known.get(schema) ?? readableSchema(schema);
    known.set(schema, reading);
    try {
        const readable = await reading;
        const check = (value: unknown) => {
            readable.reset();
            return problemsIn(readable.schema, value);
        };
        if (check(input).length === 0) return { ok: true, input, notes: [] };
        const notes: string[] = [];
        const meant = new Reading(readable.schema, notes).of(readable.schema, input, "");
        const problems = check(meant);
        if (problems.length === 0) return { ok: true, input: meant as Input, notes };
        const message = `Invalid input: ${problems.slice(0, MOST_PROBLEMS).join("; ")}.`;
        const hint = "Call the tool again with the fields of its schema.";
        return { ok: false, error: { code: "invalid-input", message, hint } };
    } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        return { ok: false, error: { code: "broken-schema", message } };
    }
}

/** Coerces input to its schema; values that it cannot coerce stay unchanged. */
class Reading {
    constructor(
        private readonly root: Fields,
        private readonly notes: string[]
    ) {}

    of(part: unknown, value: unknown, name: string): unknown {
        const schema = this.followed(part);
        const types = typesOf(schema);
        if (typeof value === "string" && !types.has("string")) {
            return this.limited(schema, fromText(value, types), name);
        }
        if (typeof value === "number") return this.limited(schema, value, name);
        if (Array.isArray(value)) return value.map((each) => this.of(schema.items, each, name));
        return isFields(value) ? this.ofFields(schema, value) : value;
    }

    private ofFields(schema: Fields, value: Fields): Fields {
        const properties = isFields(schema.properties) ? schema.properties : {};
        const required: unknown = schema.required;
        const isRequired = (name: string) => Array.isArray(required) && required.includes(name);
        const entries = Object.entries(value).filter(([name, inner]) => {
            if (Object.hasOwn(properties, name)) {
                const types = typesOf(this.followed(properties[name]));
                const takesNull = types.size === 0 || types.has("null");
                return inner !== null || takesNull || isRequired(name);
            }
            const isRemark = typeof inner === "string" && REMARKS.has(name);
            return !isRemark || schema.additionalProperties !== false;
        });
        return Object.fromEntries(
            entries.map(([name, inner]) => [
                name,
                Object.hasOwn(properties, name) ? this.of(properties[name], inner, name) : inner,
            ])
        );
    }

    private limited({ maximum }: Fields, value: unknown, name: string): unknown {
        if (typeof value !== "number" || typeof maximum !== "number" || value <= maximum) {
            return value;
        }
        this.notes.push(`${name} is at most ${maximum}: used ${maximum} instead of ${value}.`);
        return maximum;
    }

    private followed(schema: unknown): Fields {
        if (!isFields(schema)) return {};
        const { $ref } = schema;
        if (typeof $ref !== "string") return schema;
        const target = $ref.startsWith("#") ? lookUp(this.root, $ref) : undefined;
        return target && typeof target.$ref !== "string" ? target : {};
    }
}

/** The types that a schema and its alternatives accept; empty if unspecified. */
function typesOf(schema: Fields): ReadonlySet<unknown> {
    const alternatives = [schema.anyOf, schema.oneOf].flatMap((list) =>
        Array.isArray(list) ? list.filter(isFields).map(({ type }) => type) : []
    );
    return new Set([schema.type, ...alternatives].flat().filter((type) => type !== undefined));
}

function fromText(text: string, types: ReadonlySet<unknown>): unknown {
    const isNumber = types.has("number") || types.has("integer");
    if (isNumber && /^-?\d{1,15}(\.\d+)?$/.test(text)) return Number(text);
    return types.has("boolean") && (text === "true" || text === "false") ? text === "true" : text;
}
