/** Any value that survives `JSON.parse(JSON.stringify(value))` unchanged. */
export type JsonValue =
    | null
    | boolean
    | number
    | string
    | readonly JsonValue[]
    | { readonly [key: string]: JsonValue };

export type JsonObject = { readonly [key: string]: JsonValue };

/**
 * A JSON Schema (draft 2020-12) object, such as a TypeBox schema or an MCP tool's `inputSchema`.
 * Not an index signature, because TypeBox's interfaces have none.
 */
export type JsonSchema = object;
