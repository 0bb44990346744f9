import { isRecord } from "./json.js";

const TOKEN = /^[!#$%&'*+.^_`|~\w-]+$/;
const PRIMITIVES: readonly unknown[] = ["string", "integer", "boolean"];

/**
 * Whether each `x-mcp-header` in a schema names a header that can carry its property's value. A
 * client must not call the tool otherwise:
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/transports
 */
export function namesHeaders(schema: object): boolean {
    const taken = new Set<string>();
    const isNamed = (node: unknown, isProperty: boolean, isReachable: boolean): boolean => {
        if (Array.isArray(node)) return node.every((item) => isNamed(item, false, false));
        if (!isRecord(node)) return true;
        const { "x-mcp-header": name, properties, ...others } = node;
        if (name !== undefined) {
            const isHeader = typeof name === "string" && TOKEN.test(name);
            if (!isProperty || !isHeader || !PRIMITIVES.includes(node.type)) return false;
            if (taken.has(name.toLowerCase())) return false;
            taken.add(name.toLowerCase());
        }
        return (
            Object.values(isRecord(properties) ? properties : {}).every((property) =>
                isNamed(property, isReachable, isReachable)
            ) && Object.values(others).every((value) => isNamed(value, false, false))
        );
    };
    return isNamed(schema, false, true);
}
