import { NorthError } from "north-cli/plugin";

/** Servers may answer anything. Throws `invalid-answer` for what has no range in `field`. */
export function withRange<Value extends object>(value: Value, field: keyof Value): Value {
    const range = isFields(value) ? (value as Value)[field] : undefined;
    const isRange = isFields(range) && isPosition(range.start) && isPosition(range.end);
    if (isRange) return value;
    throw new NorthError("invalid-answer", "The language server's answer is not valid.");
}

function isPosition(value: unknown): boolean {
    if (!isFields(value)) return false;
    return [value.line, value.character].every((number) => Number.isInteger(number));
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
    return typeof value === "object" && value !== null;
}
