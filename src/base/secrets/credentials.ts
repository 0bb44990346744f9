import {
    canBeCredential,
    isCredentialName,
    isPlaceholder,
    looksRandom,
} from "./credential-values.js";

/**
 * How sure a text must be a credential: `any` for the log, where a word too few does no harm;
 * `settings` in a file of settings, which is not code; `certain` for what the model reads.
 */
type Sureness = "any" | "settings" | "certain";

interface Form {
    /** Group 1, if any, is kept. */
    readonly pattern: RegExp;
    /** Whether a match is certain; `kept` is group 1. */
    isCertain(found: string, kept: string): boolean;
}

const always = () => true;
/** Code names the header, too. */
const hasKey = (found: string) => /[A-Za-z0-9+/]{24}/.test(found);
const hasDigits = (found: string) => found.length >= 16 && /\d/.test(found) && /[a-z]/i.test(found);

/** Keys of model vendors, clouds, code hosts and registries; tokens; URLs with passwords. */
const FORMS: readonly Form[] = [
    { pattern: /()-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----[^-]*/g, isCertain: hasKey },
    { pattern: /()\bsk-[\w-]{8,}/g, isCertain: hasDigits },
    {
        pattern:
            /()\b(?:[sr]k_(?:live|test)_|whsec_|gsk_|xai-|r8_|pplx-|hf_|npm_|pypi-|dckr_pat_|ya29\.|pul-|dop_v1_|SG\.)[\w.-]{16,}/g,
        isCertain: hasDigits,
    },
    {
        pattern: /()\b(?:gh[pousr]|github_pat|glpat|xox[abeprs])[-_][\w-]{10,}/g,
        isCertain: always,
    },
    { pattern: /()\bAIza[\w-]{20,}/g, isCertain: always },
    { pattern: /()\bA[KS]IA[A-Z0-9]{12,}/g, isCertain: always },
    { pattern: /()(?<!\w|\w-)eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?/g, isCertain: always },
    {
        pattern:
            /()https:\/\/(?:hooks\.slack\.com\/|discord(?:app)?\.com\/api\/webhooks\/)[\w/-]{10,}/g,
        isCertain: always,
    },
    { pattern: /()\bBearer\s+[\w.~+/=-]+/gi, isCertain: (found) => hasDigits(found) },
    {
        pattern: /()\bBasic\s+(?=[A-Za-z+/]{0,200}[\d=])[\w+/=-]{8,}/gi,
        isCertain: (found) => /\d/.test(found) && /[A-Z]/.test(found.slice(1)),
    },
    { pattern: /(:\/\/)[^\s/:@]*:[^\s/@]+(?=@)/g, isCertain: isPassword },
    { pattern: /(:\/\/)[\w-]{16,}(?=@)/g, isCertain: looksRandom },
];

function isPassword(userinfo: string): boolean {
    const password = userinfo.slice(userinfo.indexOf(":") + 1);
    const [user] = userinfo.split(":");
    return !isPlaceholder(password) && password !== user && !/["'`{}()]/.test(userinfo);
}

/**
 * Command-line options: `curl -u ada:lovelace`, but not the numbers in `docker run -u 1000:1000`.
 */
const OPTIONS: readonly Form[] = [
    {
        pattern:
            /((?:^|\s)(?:-u|--user|--proxy-user)[\s=]?["']?[^\s:"']{1,64}:)(?!\d+(?:\s|$))[^\s"']+/g,
        isCertain: canBeCredential,
    },
    {
        pattern: /((?:^|\s)--(?:api-key|pass(?:word|wd|phrase)?|secret|token)\s+)(?!-)\S+/g,
        isCertain: canBeCredential,
    },
];

/** Programs whose short option takes a password; too short a name for more than the log. */
const BY_PROGRAM: readonly Form[] = [
    ["(?:mysql|mariadb)\\w{0,16}", "-p"],
    ["(?:docker|podman)\\s+login", "-p\\s+"],
    ["sshpass", "-p\\s*"],
    ["redis-cli", "-a\\s+"],
    ["openssl", "-(?:k|K|pass\\s+pass:)\\s*"],
    ["aws\\s+configure\\s+set", "\\S{0,64}(?:secret|token)\\S{0,64}\\s+"],
].map(([program, option]) => ({
    pattern: new RegExp(
        `((?<![\\w.-])${program}\\s(?:[^\\n;&|]{0,200}\\s)?${option}["']?)[^\\s"'\`;&|-][^\\s"';&|]*`,
        "g"
    ),
    isCertain: () => false,
}));

/** `name=value`, `name: value`, `"name":"value"`, also in JSON embedded in text; only the end of the name. */
export const ASSIGNMENTS =
    /((?:authorization|cookie|credentials?|pass(?:phrase|word|wd)|secret|token|[-_]pwd|(?:access|account|api|auth|encryption|private|secret|signing)[-_]?key(?:[-_]base)?)\\{0,3}["']?[ \t]{0,4}[:=][ \t]{0,4})(?:\\{0,3}["'][^"'\n\\]+|[\w!#$%&*+./?@^~-][^\s"',;&\\]*)/gi;

/** `NAME=value` without blanks, as in `.env`, in its diffs and in the environment: never code. */
const VARIABLES =
    /\b(?<!\$|[\w$]-)((?:[A-Z][A-Z0-9_]{1,63}|_auth[a-z]{0,20}|_password)=["']?)[^\s"'`;&|]+/gi;

/** In XML, and names that only settings use so. */
const IN_SETTINGS: readonly Form[] = [
    {
        pattern:
            /(<(?:password|passphrase|token|secret|privateKey|apiKey)>|(?:password|token|api_?key)"\s{1,4}value=")[^<>"]+/gi,
        isCertain: canBeCredential,
    },
    {
        pattern:
            /(\b(?:_auth|auth|\w{0,20}AuthIdent|identitytoken)["']?[ \t]{0,4}[:=][ \t]{0,4}["']?)[^\s"',]+/gi,
        isCertain: canBeCredential,
    },
    // Of pip, without a scheme.
    {
        pattern: /(\bproxy["']?[ \t]{0,4}[:=][ \t]{0,4}["']?[^\s:@/"']{1,64}:)[^\s@/"']+(?=@)/gi,
        isCertain: canBeCredential,
    },
    { pattern: ASSIGNMENTS, isCertain: (found) => canBeCredential(unquoted(found)) },
];

const IN_CODE: readonly Form[] = [
    { pattern: ASSIGNMENTS, isCertain: (found) => looksRandom(unquoted(found)) },
];

const IN_VARIABLES: Form = { pattern: VARIABLES, isCertain: isVariable };

function unquoted(value: string): string {
    return value.replace(/^\\*["']/, "");
}

function isVariable(value: string, kept: string): boolean {
    const name = kept.replace(/=["']?$/, "");
    const isSetting = name === name.toUpperCase() || name.startsWith("_");
    return isSetting && isCredentialName(name, value) && canBeCredential(value);
}

function formsFor(sureness: Sureness): readonly Form[] {
    const named = sureness === "settings" ? IN_SETTINGS : IN_CODE;
    return [...FORMS, ...OPTIONS, ...BY_PROGRAM, ...named, IN_VARIABLES];
}

/** Replaces each credential in a text, in linear time. */
export function replaceCredentials(
    text: string,
    replace: (credential: string) => string,
    sureness: Sureness = "certain"
): string {
    return formsFor(sureness).reduce((result, { pattern, isCertain }) => {
        const isAny = sureness === "any" && pattern !== VARIABLES;
        return result.replace(pattern, (match: string, kept: string) => {
            const found = match.slice(kept.length);
            return isAny || isCertain(found, kept) ? `${kept}${replace(found)}` : match;
        });
    }, text);
}

/** Whether a text holds a credential. */
export function holdsCredential(text: string, sureness: Sureness = "certain"): boolean {
    let isFound = false;
    const note = (found: string) => {
        isFound = true;
        return found;
    };
    replaceCredentials(text, note, sureness);
    return isFound;
}
