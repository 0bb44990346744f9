import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { check, type Fields, isFields } from "./streaming-server.js";

/** Tool schemas that vendors reject, as known from public error reports. */

const OPTIONS = { strict: false, logger: false } as const;
const newest = new Ajv2020(OPTIONS);
const draft7 = new Ajv(OPTIONS);

/** https://github.com/anthropics/claude-code/issues/63673, /7876 */
export function checkAnthropicSchema(schema: unknown, where: string): void {
    check(isFields(schema) && schema.type === "object", `${where}.input_schema: type`);
    const refused = ["oneOf", "allOf", "anyOf"].some((field) => field in schema);
    check(
        !refused,
        `${where}.input_schema does not support oneOf, allOf, or anyOf at the top level`
    );
    for (const name of Object.keys(schema.properties ?? {})) {
        check(/^[a-zA-Z0-9_.-]{1,64}$/.test(name), `${where}: Property keys should match: ${name}`);
    }

    check(
        newest.validateSchema(withoutName(schema)) === true,
        `${where}: JSON schema is invalid. It must match JSON Schema draft 2020-12`
    );
}

/** https://github.com/langchain-ai/langchainjs/issues/9804, https://github.com/sigoden/aichat/pull/1049 */
export function checkOpenaiSchema(schema: unknown, where: string): void {
    check(isFields(schema) && schema.type === "object", `${where}: schema must have type 'object'`);
    const refused = ["oneOf", "anyOf", "allOf", "enum", "const", "not"];
    check(
        !refused.some((field) => field in schema),
        `${where}: not have ${refused.join("/")} at the top level`
    );
    check(isFields(schema.properties), `${where}: object schema missing properties`);
    for (const { type, items } of schemasIn(schema)) {
        const isArray = [type].flat().includes("array");
        check(!isArray || isFields(items), `${where}: array schema missing items`);
    }
}

/** https://github.com/SylphxAI/pdf-reader-mcp/issues/63, https://github.com/BerriAI/litellm/pull/13389 */
export function checkMistralSchema(schema: unknown, where: string): void {
    check(isFields(schema), `${where}: Invalid tool schema`);
    for (const part of schemasIn(schema)) {
        const refused = Object.keys(part).find((field) => field.startsWith("$"));
        check(refused === undefined, `${where}: Grammar error at ${refused}`);
    }
    check(draft7.validateSchema(schema) === true, `Invalid tool schema: ${where}`);
}

/** A JSON Schema: https://ai.google.dev/api/caching#FunctionDeclaration */
export function checkGoogleSchema(schema: unknown, where: string): void {
    check(isFields(schema) && schema.type === "object", `${where}: not an object`);
    check(newest.validateSchema(withoutName(schema)) === true, `${where}: invalid JSON schema`);
}

/** https://github.com/probelabs/probe/issues/9 */
export function checkOpenaiDescription(description: unknown, where: string): void {
    const { length } = String(description ?? "");
    check(length <= 1_024, `${where}: string too long. Expected maximum length 1024: ${length}`);
}

/** A schema and all nested ones. */
function schemasIn(value: unknown): Fields[] {
    if (Array.isArray(value)) return value.flatMap(schemasIn);
    if (!isFields(value)) return [];
    const { properties, items, prefixItems, additionalProperties, not } = value;
    const { anyOf, oneOf, allOf } = value;
    const named = isFields(properties) ? Object.values(properties) : [];
    const others = [items, prefixItems, additionalProperties, not, anyOf, oneOf, allOf];
    return [value, ...[...named, ...others].flatMap(schemasIn)];
}

/** Without `$schema`: a schema for another draft is checked as 2020-12. */
function withoutName({ $schema: _name, ...schema }: Fields): Fields {
    return schema;
}
