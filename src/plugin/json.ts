/** Any value that survives `JSON.parse(JSON.stringify(value))` unchanged. */
export type JsonValue =
    null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** A JSON object. */
export type JsonObject = { readonly [key: string]: JsonValue };

/**
 * A JSON Schema (draft 2020-12) object. A TypeBox schema is one as it stands, and so is the
 * `inputSchema` of an MCP tool. (No index signature: TypeBox's types are interfaces and have none.)
 */
export type JsonSchema = object;
