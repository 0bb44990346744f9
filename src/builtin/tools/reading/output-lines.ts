import { isFields } from "../../../base/fields.js";
import type { JsonValue } from "../../../plugin/index.js";
import { splitLines } from "../../../code/text/text-file.js";

/**
 * Converts a result to lines that can be counted and cut: texts line by line, lists one item per
 * line. A result with `content` becomes just that, so that line numbers match.
 */
export function outputLines(value: JsonValue): string[] {
    if (typeof value === "string") return splitLines(value);
    if (!isFields(value)) return Array.isArray(value) ? value.map(compact) : [compact(value)];
    if (typeof value.content === "string") return splitLines(value.content);
    return Object.entries(value).flatMap(([name, field]) => fieldLines(name, field));
}

function fieldLines(name: string, field: JsonValue): string[] {
    if (typeof field === "string" && field.includes("\n")) {
        return [`${name}:`, ...splitLines(field)];
    }

    if (Array.isArray(field)) return [`${name}:`, ...field.map(compact)];
    return [`${name}: ${compact(field)}`];
}

function compact(value: JsonValue): string {
    return typeof value === "string" ? value : JSON.stringify(value);
}
