import { isFields } from "../../../base/fields.js";
import type { JsonObject, JsonValue } from "../../../plugin/index.js";
import { linePieces } from "../../../code/text/line-window.js";
import { splitLines } from "../../../code/text/text-file.js";

/**
 * Converts a result to lines that can be counted and cut: texts line by line, lists one item per
 * line, and a line too long for one result piece by piece. A result with `content` becomes just
 * that, so that line numbers match.
 */
export function outputLines(value: JsonValue): string[] {
    return wholeLines(value).flatMap(linePieces);
}

/** The lines of a text of several lines, which is a field of a result, and the number of the first. */
export function fieldOf(
    result: JsonObject,
    name: string,
    text: string
): { readonly lines: readonly string[]; readonly first: number } {
    const fields = Object.entries(result);
    const before = fields.slice(
        0,
        fields.findIndex(([field]) => field === name)
    );
    const lines = splitLines(text).flatMap(linePieces);
    return { lines, first: outputLines(Object.fromEntries(before)).length + 2 };
}

function wholeLines(value: JsonValue): string[] {
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
