import { builtin } from "../../src/builtin/index.js";
import type { JsonObject, JsonValue } from "../../src/plugin/index.js";
import { checkTool } from "../../src/plugin-testing/index.js";

/** The part of JSON Schema from which an input can be made. */
interface Schema {
    readonly type?: string;
    readonly const?: JsonValue;
    readonly enum?: readonly JsonValue[];
    readonly anyOf?: readonly Schema[];
    readonly items?: Schema;
    readonly minimum?: number;
    readonly pattern?: string;
    readonly properties?: Readonly<Record<string, Schema>>;
    readonly required?: readonly string[];
}

/** Fields that need more than their schema says, whichever tool has them. */
const FIELDS: Readonly<Record<string, JsonValue>> = {
    cwd: "src",
    file: "src/app.ts",
    outputId: "1",
    path: "src/a file.ts",
    pattern: "*.ts",
    url: "https://example.org/a",
    id: "1",
};

/** A value for a schema, as full as it allows. Strings have two lines: what is shown must have one. */
function sampleOf(schema: Schema, field: string): JsonValue {
    const own = FIELDS[field] ?? schema.const ?? schema.enum?.[0];
    if (own !== undefined) return own;
    if (schema.anyOf?.[0]) return sampleOf(schema.anyOf[0], field);
    switch (schema.type) {
        case "object":
            return objectOf(schema);
        case "array":
            return schema.items ? [sampleOf(schema.items, field)] : [];
        case "string":
            if (schema.pattern === undefined) return "a\nb";
            break;
        case "integer":
        case "number":
            return schema.minimum ?? 1;
        case "boolean":
            return true;
    }
    throw new Error(`Add a sample of the field "${field}" to FIELDS in this file.`);
}

function objectOf({ properties = {} }: Schema): JsonObject {
    const fields = Object.entries(properties);
    return Object.fromEntries(fields.map(([name, field]) => [name, sampleOf(field, name)]));
}

function without(input: JsonObject, name: string): JsonObject {
    return Object.fromEntries(Object.entries(input).filter(([each]) => each !== name));
}

describe("Built-in tools", () => {
    for (const tool of builtin.tools ?? []) {
        it(`${tool.name} satisfies the tool contract`, async () => {
            const schema: Schema = tool.inputSchema;
            const full = objectOf(schema);
            const required = schema.required ?? [];
            const needed = Object.fromEntries(required.map((name) => [name, full[name] ?? null]));
            await checkTool(tool, {
                accepted: [full, needed],
                refused: [
                    { ...full, unknown: 1 },
                    ...required.map((name) => without(full, name)),
                    // Of an optional field null means that it is absent.
                    ...required.map((name) => ({ ...full, [name]: null })),
                ],
            });
        });
    }
});
