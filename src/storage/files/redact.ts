const MAX_TEXT_LENGTH = 500;
const MAX_STACK_LENGTH = 4000;
const DEEPEST = 6;
const REDACTED = "[redacted]";

// Keys of model vendors, clouds, code hosts and registries; tokens; URLs with passwords.
const SECRETS: readonly RegExp[] = [
    /\bsk-[\w-]{8,}/g,
    /\b(?:[sr]k_(?:live|test)_|gsk_|xai-|r8_|pplx-|hf_|npm_|pypi-|dckr_pat_|ya29\.)[\w-]{16,}/g,
    /\b(?:gh[pousr]|github_pat|glpat|xox[abeprs])[-_][\w-]{10,}/g,
    /\bAIza[\w-]{20,}/g,
    /\bA[KS]IA[A-Z0-9]{12,}/g,
    /(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?/g,
    /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]*/g,
    /\bBearer\s+[\w.~+/=-]+/gi,
    /\bBasic\s+(?=[A-Za-z+/]{0,200}[\d=])[\w+/=-]{8,}/g,
    /(?<=:\/\/)[^\s/:@]*:[^\s/@]+(?=@)/g,
];

/**
 * Command-line options: `curl -u ada:lovelace`, but not the numbers in `docker run -u 1000:1000`.
 */
const OPTIONS: readonly RegExp[] = [
    /((?:^|\s)(?:-u|--user|--proxy-user)[\s=]?["']?[^\s:"']{1,64}:)(?!\d+(?:\s|$))[^\s"']+/g,
    /((?:^|\s)--(?:api-key|pass(?:word|wd|phrase)?|secret|token)\s+)(?!-)\S+/g,
];

/** `name=value`, `name: value`, `"name":"value"`, also in JSON embedded in text. */
const ASSIGNMENTS =
    /(?<![\w-])([\w-]{0,64}(?:authorization|cookie|credentials?|pass(?:phrase|word|wd)|secret|token|[-_]pwd|(?:access|account|api|auth|encryption|private|secret|signing)[-_]?key(?:[-_]base)?)\\{0,3}["']?\s{0,4}[:=]\s{0,4})(?:\\{0,3}["'][^"'\n\\]+|[\w!#$%&*+./?@^~-][^\s"',;&\\]*)/gi;

/** Redacts anything that looks like a secret, and the `known` ones, which may grow over time. */
export function createRedactor(known: Iterable<string>): (text: string) => string {
    return (text) => {
        const exact = [...known].filter((secret) => secret.length >= 4);
        const withoutKnown = exact.reduce(
            (result, secret) => result.replaceAll(secret, REDACTED),
            text
        );
        const withoutForms = SECRETS.reduce(
            (result, form) => result.replace(form, REDACTED),
            withoutKnown
        );
        return [...OPTIONS, ASSIGNMENTS].reduce(
            (result, form) => result.replace(form, `$1${REDACTED}`),
            withoutForms
        );
    };
}

/**
 * Copies a value for the log: redacts secrets; cuts long text (may be file contents), cycles and
 * deep nesting.
 */
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
            if (`${name}=x`.search(ASSIGNMENTS) === 0) return [redact(name), REDACTED];
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
