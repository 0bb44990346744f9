import type { JsonSchema } from "../../../plugin/index.js";

/**
 * The first field that does not fit a schema, with what was expected: `.line: must be integer`.
 * `undefined` when all fit. The validator is loaded only when it is needed.
 */
export async function invalidField(
    schema: JsonSchema,
    value: unknown
): Promise<string | undefined> {
    const { Value } = await import("typebox/value");
    const errors = Value.Errors(schema, value);
    const [error] = errors;
    if (error === undefined) return undefined;

    const field = error.instancePath.replaceAll("/", ".");
    switch (error.keyword) {
        // An unknown field is reported first by the schema that forbids it, as "schema is false".
        case "boolean":
            return `${field}: is not a field of this tool`;
        case "enum":
            return `${field}: must be one of ${error.params.allowedValues.join(", ")}`;
        default:
            return `${field}: ${error.message}`;
    }
}
