import type { ErrorObject, ValidateFunction } from "ajv";
import type { JsonObject, JsonSchema, ToolError } from "../../plugin/index.js";

const compiled = new WeakMap<JsonSchema, ValidateFunction>();

/** Checks input against a tool's schema; the failure names each field and what was expected. */
export async function inputProblem(
    schema: JsonSchema,
    input: JsonObject
): Promise<ToolError | undefined> {
    const validate = compiled.get(schema) ?? (await compile(schema));
    if (validate(input)) return undefined;
    const problems = [...new Set((validate.errors ?? []).map(describe))].slice(0, 5);
    return {
        code: "invalid-input",
        message: `Invalid input: ${problems.join("; ")}.`,
        hint: "Call the tool again with the fields of its schema.",
    };
}

async function compile(schema: JsonSchema): Promise<ValidateFunction> {
    // Ajv generates code per schema: worth loading only once a model has called a tool.
    const { default: ajvModule } = await import("ajv/dist/2020.js");
    const ajv = new ajvModule.Ajv2020({ strict: false, allErrors: true, validateFormats: false });
    const validate = ajv.compile(schema);
    compiled.set(schema, validate);
    return validate;
}

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
