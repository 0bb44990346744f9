import type { CodeOptions, ErrorObject, Options, ValidateFunction } from "ajv";
import type { JsonObject, JsonSchema, ToolError } from "../../plugin/index.js";
import { isFields } from "../../base/fields.js";
import { limitsOfDraft4 } from "./tool-schema.js";

/** What became of a call's input. */
export type InputCheck =
    | { readonly kind: "valid" }
    /** The error names each field and what was expected. */
    | { readonly kind: "invalid"; readonly error: ToolError }
    /** No input can be checked against it. */
    | { readonly kind: "broken-schema"; readonly reason: string };

type Compiled =
    | { readonly kind: "compiled"; readonly validate: ValidateFunction }
    | { readonly kind: "broken-schema"; readonly reason: string };

const known = new WeakMap<JsonSchema, Compiled>();

/** Checks input against a tool's schema. */
export async function checkInput(schema: JsonSchema, input: JsonObject): Promise<InputCheck> {
    const compiled = known.get(schema) ?? (await compile(schema));
    known.set(schema, compiled);
    if (compiled.kind === "broken-schema") return compiled;
    const { validate } = compiled;
    if (validate(input)) return { kind: "valid" };
    const problems = [...new Set((validate.errors ?? []).map(describe))].slice(0, 5);
    return {
        kind: "invalid",
        error: {
            code: "invalid-input",
            message: `Invalid input: ${problems.join("; ")}.`,
            hint: "Call the tool again with the fields of its schema.",
        },
    };
}

/**
 * Plugins and the servers behind them write schemas of every draft, and not all name it: what the
 * newest does not allow may be of draft 7 or 4.
 */
async function compile(schema: JsonSchema): Promise<Compiled> {
    // Ajv generates code per schema: worth loading only once a model has called a tool.
    const { default: newest } = await import("ajv/dist/2020.js");
    try {
        return { kind: "compiled", validate: new newest.Ajv2020(OPTIONS).compile(schema) };
    } catch (error) {
        const { default: draft7 } = await import("ajv");
        try {
            return {
                kind: "compiled",
                validate: new draft7.Ajv(OPTIONS).compile(fromDraft4(schema)),
            };
        } catch {
            const reason = error instanceof Error ? error.message : String(error);
            return { kind: "broken-schema", reason };
        }
    }
}

function fromDraft4(schema: JsonSchema): JsonSchema {
    return JSON.parse(JSON.stringify(schema), (_name, value: unknown) =>
        isFields(value) ? { ...value, ...limitsOfDraft4(value) } : value
    );
}

/** Patterns are Unicode's by the standard; the older escapes that many use are not. */
const readPattern: NonNullable<CodeOptions["regExp"]> = Object.assign(
    (pattern: string, flags: string) => {
        try {
            return new RegExp(pattern, flags);
        } catch {
            return new RegExp(pattern);
        }
    },
    { code: "readPattern" }
);

const OPTIONS: Options = {
    strict: false,
    allErrors: true,
    validateFormats: false,
    // Else `$schema` must name a draft that is known; what is wrong shows when it is compiled.
    validateSchema: false,
    logger: false,
    code: { regExp: readPattern },
};

function describe(error: ErrorObject): string {
    const field = error.instancePath.slice(1).replaceAll("/", ".");
    const where = field === "" ? "the input" : `\`${field}\``;
    const { params } = error;
    switch (error.keyword) {
        case "required":
            return `\`${joined(field, params.missingProperty)}\` is missing`;
        case "additionalProperties":
            return `\`${joined(field, params.additionalProperty)}\` is not a known field`;
        case "enum":
            return `${where} must be one of ${listed(params.allowedValues)}`;
        case "const":
            return `${where} must be ${JSON.stringify(params.allowedValue)}`;
        case "type":
            return `${where} must be of type ${String(params.type)}`;
        default:
            return `${where} ${error.message ?? "does not fit the schema"}`;
    }
}

function joined(parent: string, child: unknown): string {
    return parent === "" ? String(child) : `${parent}.${String(child)}`;
}

function listed(values: unknown): string {
    return Array.isArray(values) ? values.map((value) => JSON.stringify(value)).join(", ") : "";
}
