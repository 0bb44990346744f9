/** Values that stand for a secret, by their beginning. */
const PLACEHOLDER =
    /^(?:[$%<{*`(]|\[(?:redacted|secret|key)\b|x{3,}|\.{3}|(?:your|my|some|example|sample|dummy|fake|mock|change[-_ ]?me|changeit|placeholder|replace|insert|enter|todo)(?![a-z0-9]))/i;

/** Words that are not secrets. */
const PLAIN =
    /^(?:none|null|nil|undefined|true|false|yes|no|on|off|enabled|disabled|default|localhost|guest|admin|root|postgres|user(?:name)?|pass(?:word|wd|phrase)?|pwd|secret|token|key|test|dev)$/i;

/** A date, a version, a number, an address, a path, a file name, a plain URL: settings, not secrets. */
const SETTING =
    /^(?:[\d.,:TZ+/-]+|[a-z]{2}-[a-z]+-\d|[\w+.-]+@[\w-]+(?:\.[\w-]+)+|(?:\.{0,2}|~)\/[\w./@ -]*|[a-z][a-z0-9+.-]*:\/\/[^@\s]*|[\w-]+(?:\.[\w-]+)*\.[a-z]{2,12}(?::\d+)?)$/i;

export function isPlaceholder(value: string): boolean {
    return PLACEHOLDER.test(value) || PLAIN.test(value);
}

function classesOf(value: string): number {
    return [/[a-z]/, /[A-Z]/, /\d/].filter((each) => each.test(value)).length;
}

/** Whether a value cannot be a word, a name or code: long, and of many kinds of characters. */
export function looksRandom(value: string): boolean {
    if (value.length < 16 || !/^[\w!#%&*+,./:;=?@^~$-]+$/.test(value)) return false;
    if (isPlaceholder(value) || SETTING.test(value)) return false;
    if (/^[0-9a-f-]+$/i.test(value)) return value.length >= 32 && /\d/.test(value);
    // In words, letters of one kind follow each other, and digits come last.
    const switches = value.match(/[A-Z](?=[^A-Z])|\d(?=\D)|[a-z](?=\d)/g)?.length ?? 0;
    const rate = switches / value.length;
    if (classesOf(value) === 3) return rate >= 0.35 || (rate >= 0.2 && !/[a-z]{5}/.test(value));
    return classesOf(value) === 2 && switches >= 6 && rate >= 0.25;
}

/** Whether a value with a name such as `password` can be one: no placeholder, no plain word. */
export function canBeCredential(value: string): boolean {
    if (value.length < 6 || isPlaceholder(value) || SETTING.test(value)) return false;
    if (/^[\w.]+\(|=>|[{}`]/.test(value)) return false;
    return classesOf(value) >= 2 || value.length >= 12;
}

/** Parts of names whose values are credentials. */
const PART =
    /^(?:.*(?:pass|password|passwd|passphrase|passcode|pwd|secret|token|apikey)|secrets|tokens|pw|pat|key|keys|credentials?|creds?|auth|authorization|cookie|jwt|bearer)$/;

/** Words that only end like one. */
const WORD = /^(?:compass|bypass|trespass|underpass|overpass)$/;

/** The name then tells something about a credential: where it is, or how long it lives. */
const ABOUT =
    /^(?:file|files|path|dir|folder|name|header|prefix|type|url|uri|host|port|length|size|count|limit|ttl|timeout|expiry|expires|format|algorithm|version|enabled|required|min|max)$/;

const COUNTED = /^\d{1,9}$/;

/** Whether a variable or setting of this name holds a credential: `STRIPE_KEY`, `dbPassword`. */
export function isCredentialName(name: string, value = ""): boolean {
    const parts = name
        .replace(/([a-z\d])([A-Z])/g, "$1_$2")
        .toLowerCase()
        .split(/[^a-z\d]+/)
        .filter((part) => part !== "");
    if (parts.length === 1 && parts[0] === "pwd") return false;
    if (parts.some((part) => /^(?:dsn|webhooks?)$/.test(part))) return true;
    if (ABOUT.test(parts.at(-1) ?? "")) return false;
    // `MAX_TOKENS=4096`
    if (parts.includes("tokens") && COUNTED.test(value)) return false;
    return parts.some((part) => PART.test(part) && !WORD.test(part));
}
