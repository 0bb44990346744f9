const LONGEST_TEXT = 500;
const LONGEST_STACK = 4000;
const DEEPEST = 6;
const REDACTED = "[redacted]";

// Forms of secrets that North may come across: keys of model vendors and of code hosts, tokens in
// headers and in addresses.
const SECRETS: readonly RegExp[] = [
    /\bsk-[\w-]{8,}/g,
    /\bBearer\s+[\w.~+/=-]+/gi,
    /\b(?:gh[pousr]|github_pat|glpat|xox[abprs])[-_][\w-]{10,}/g,
    /\bAIza[\w-]{20,}/g,
    /\bAKIA[A-Z0-9]{12,}/g,
    /(?<=:\/\/)[^\s/:@]+:[^\s/@]+(?=@)/g,
    /(?<=\b(?:x-api-key|api[-_]?key|authorization|password|secret)["']?\s*[:=]\s*["']?)[^\s"',]{6,}/gi,
];
const SECRET_NAME = /api[-_]?key|authorization|password|secret|cookie|^token$|access[-_]?token/i;

/**
 * Makes a function that takes secrets out of a text: what looks like one, and the given ones, to
 * which more may be added meanwhile.
 */
export function createRedactor(known: Iterable<string>): (text: string) => string {
    return (text) => {
        const exact = [...known].filter((secret) => secret.length >= 4);
        const withoutKnown = exact.reduce(
            (result, secret) => result.replaceAll(secret, REDACTED),
            text
        );
        return SECRETS.reduce((result, form) => result.replace(form, REDACTED), withoutKnown);
    };
}

/**
 * A copy of a value that can be logged: without secrets, long texts cut (they may be contents of
 * files), errors as objects, cycles and great depth ended.
 */
export function toLoggable(value: unknown, redact: (text: string) => string, depth = 0): unknown {
    if (typeof value === "string") return cut(redact(value), LONGEST_TEXT);
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
            if (SECRET_NAME.test(name)) return [redact(name), REDACTED];
            return [
                redact(name),
                cut(redact(each), name === "stack" ? LONGEST_STACK : LONGEST_TEXT),
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
