import { ASSIGNMENTS, replaceCredentials } from "../../base/secrets/credentials.js";

const MAX_TEXT_LENGTH = 500;
const MAX_STACK_LENGTH = 4000;
const DEEPEST = 6;
const REDACTED = "[redacted]";

/** Redacts anything that looks like a secret, and the `known` ones, which may grow over time. */
export function createRedactor(known: Iterable<string>): (text: string) => string {
    return (text) => {
        const exact = [...known].filter((secret) => secret.length >= 4);
        const withoutKnown = exact.reduce(
            (result, secret) => result.replaceAll(secret, REDACTED),
            text
        );
        return replaceCredentials(withoutKnown, () => REDACTED, "any");
    };
}

/** Copies a value for the log: without secrets, long text (file contents), cycles, deep nesting. */
export function toLoggable(value: unknown, redact: (text: string) => string, depth = 0): unknown {
    if (typeof value === "string") return cut(redact(value), MAX_TEXT_LENGTH);
    if (typeof value === "bigint") return String(value);
    if (typeof value !== "object" || value === null) return value;
    if (depth >= DEEPEST) return "[...]";
    const convert = (each: unknown) => toLoggable(each, redact, depth + 1);
    if (Array.isArray(value)) return value.map(convert);
    if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
    const entries = value instanceof Error ? errorEntries(value) : Object.entries(value);
    return Object.fromEntries(
        entries.map(([name, each]) => {
            if (typeof each !== "string") return [redact(name), convert(each)];
            if (`${name}=x`.search(ASSIGNMENTS) !== -1) return [redact(name), REDACTED];
            return [
                redact(name),
                cut(redact(each), name === "stack" ? MAX_STACK_LENGTH : MAX_TEXT_LENGTH),
            ];
        })
    );
}

function errorEntries(error: Error): [string, unknown][] {
    const { name, message, stack, cause } = error;
    const entries: [string, unknown][] = Object.entries({ name, message, stack });
    return cause === undefined ? entries : [...entries, ["cause", cause]];
}

function cut(text: string, longest: number): string {
    if (text.length <= longest) return text;
    return `${text.slice(0, longest)}... [${text.length - longest} more characters]`;
}
