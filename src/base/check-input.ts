import { messageOf } from "./system-error.js";
import { type Fields, isFields } from "./fields.js";
import { toSafeSchema, type SafeSchema } from "./safe-schema.js";

type CheckedFields<Input> =
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

const MAX_PROBLEMS = 5;
/** Models add these to any call; they have no effect. */
const REMARKS = new Set(["description", "explanation", "reason", "rationale"]);

const safeSchemas = new WeakMap<object, Promise<SafeSchema>>();

/** Checks input against a tool's schema of any draft. Unambiguous mistakes are coerced. */
export async function checkInput<Input extends Fields>(
    schema: object,
    input: Input
): Promise<CheckedFields<Input>> {
    const pending = safeSchemas.get(schema) ?? toSafeSchema(schema);
    safeSchemas.set(schema, pending);
    try {
        const safeSchema = await pending;
        if (safeSchema.problems(input).length === 0) return { ok: true, input, notes: [] };
        const notes: string[] = [];
        const coerced = new Coercer(safeSchema, notes).coerce(safeSchema.schema, input, "");
        const problems = safeSchema.problems(coerced);
        if (problems.length === 0) return { ok: true, input: coerced as Input, notes };
        const message = `Invalid input: ${problems.slice(0, MAX_PROBLEMS).join("; ")}.`;
        const hint = "Call the tool again with the fields of its schema.";
        return { ok: false, error: { code: "invalid-input", message, hint } };
    } catch (error) {
        const message = messageOf(error);
        return { ok: false, error: { code: "broken-schema", message } };
    }
}

/** Coerces input to its schema; values that it cannot coerce stay unchanged. */
class Coercer {
    constructor(
        private readonly root: SafeSchema,
        private readonly notes: string[]
    ) {}

    coerce(part: unknown, value: unknown, name: string): unknown {
        const schema = this.resolveReference(part);
        const types = typesOf(schema);
        if (typeof value === "string" && !types.has("string")) {
            return this.capAtMaximum(schema, parseText(value, types), name);
        }
        if (typeof value === "number") return this.capAtMaximum(schema, value, name);
        if (Array.isArray(value)) return value.map((each) => this.coerce(schema.items, each, name));
        return isFields(value) ? this.coerceFields(schema, value) : value;
    }

    private coerceFields(schema: Fields, value: Fields): Fields {
        const properties = isFields(schema.properties) ? schema.properties : {};
        const required: unknown = schema.required;
        const isRequired = (name: string) => Array.isArray(required) && required.includes(name);
        const entries = Object.entries(value).filter(([name, inner]) => {
            if (Object.hasOwn(properties, name)) {
                const types = typesOf(this.resolveReference(properties[name]));
                const takesNull = types.size === 0 || types.has("null");
                return inner !== null || takesNull || isRequired(name);
            }
            const isRemark = typeof inner === "string" && REMARKS.has(name);
            return !isRemark || schema.additionalProperties !== false;
        });
        return Object.fromEntries(
            entries.map(([name, inner]) => [
                name,
                Object.hasOwn(properties, name)
                    ? this.coerce(properties[name], inner, name)
                    : inner,
            ])
        );
    }

    private capAtMaximum({ maximum }: Fields, value: unknown, name: string): unknown {
        if (typeof value !== "number" || typeof maximum !== "number" || value <= maximum) {
            return value;
        }
        this.notes.push(`${name} is at most ${maximum}: used ${maximum} instead of ${value}.`);
        return maximum;
    }

    private resolveReference(schema: unknown): Fields {
        if (!isFields(schema)) return {};
        const { $ref } = schema;
        if (typeof $ref !== "string") return schema;
        const target = this.root.target($ref);
        return isFields(target) && typeof target.$ref !== "string" ? target : {};
    }
}

/** The types that a schema and its alternatives accept; empty if unspecified. */
function typesOf(schema: Fields): ReadonlySet<unknown> {
    const alternatives = [schema.anyOf, schema.oneOf].flatMap((list) =>
        Array.isArray(list) ? list.filter(isFields).map(({ type }) => type) : []
    );
    return new Set([schema.type, ...alternatives].flat().filter((type) => type !== undefined));
}

function parseText(text: string, types: ReadonlySet<unknown>): unknown {
    const isNumber = types.has("number") || types.has("integer");
    if (isNumber && /^-?\d{1,15}(\.\d+)?$/.test(text)) return Number(text);
    return types.has("boolean") && (text === "true" || text === "false") ? text === "true" : text;
}
