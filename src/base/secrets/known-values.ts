import { attempt } from "../attempt.js";
import { canBeCredential, isCredentialName, looksRandom } from "./credential-values.js";
import { replaceCredentials } from "./credentials.js";

/** Takes the place of a secret in what the model reads. */
export const WITHHELD = "[secret withheld]";

const SHORTEST = 6;
/** Shorter values must not be part of a word. */
const DISTINCT = 12;
const LONGEST = 4096;
const MAX_VALUES = 2000;
/** Values that begin alike, beyond which the beginning alone counts: no text takes long. */
const MAX_ALIKE = 16;

/** The values in a secret file that must not be read elsewhere; never `true`, `dev` or a plain URL. */
export function valuesIn(text: string): Set<string> {
    const values = new Set<string>();
    const add = (value: string) => {
        if (value.length >= SHORTEST && value.length <= LONGEST && values.size < MAX_VALUES) {
            values.add(value);
        }
    };
    replaceCredentials(
        text,
        (found) => {
            const bare = found.replace(/^\\*["']|^(?:bearer|basic)\s+/gi, "");
            const password = /^[^\s/:@]*:([^\s/@]+)$/.exec(bare)?.[1];
            if (!bare.includes("\n")) add(password ?? bare);
            return found;
        },
        "settings"
    );
    const lines = text.split("\n");
    for (const line of lines) {
        const [name, value] = settingIn(line);
        if (isCredentialName(name) ? canBeCredential(value) : looksRandom(value)) add(value);
        for (const word of line.split(/[\s"'`,;<>]+|=(?=[^=])/)) if (looksRandom(word)) add(word);
    }
    const whole = text.trim();
    if (lines.length <= 2 && !/[\s=]/.test(whole) && canBeCredential(whole)) add(whole);
    return values;
}

/** `NAME=value`, `name: value` or `"name": "value"`. */
function settingIn(line: string): readonly [name: string, value: string] {
    const end = line.search(/[=:]/);
    if (end < 0) return ["", ""];
    const name = line.slice(0, end).replace(/["'\s]|^\s*export\s/g, "");
    const written = line.slice(end + 1).trim();
    const quoted = /^(["'])(.*)\1[,;]?$/.exec(written)?.[2];
    return [
        name,
        quoted ??
            written
                .replace(/\s#.*$/, "")
                .replace(/[,;]$/, "")
                .trimEnd(),
    ];
}

/** Finds known values in texts, in linear time. */
export class KnownValues {
    private readonly byStart = new Map<string, string[]>();
    /** By the first two characters, because most places of a text begin nothing. */
    private readonly starts = new Uint8Array(65_536);

    constructor(values: Iterable<string>) {
        const all = new Set([...values].flatMap((value) => [value, ...encoded(value)]));
        const longestFirst = [...all].sort((one, other) => other.length - one.length);
        for (const value of longestFirst) {
            if (value.length < SHORTEST) continue;
            const start = value.slice(0, SHORTEST);
            const alike = this.byStart.get(start) ?? [];
            alike.push(value);
            this.byStart.set(start, alike);
            this.starts[slotOf(value, 0)] = 1;
        }
    }

    replace(text: string, replace: (value: string) => string): string {
        if (this.byStart.size === 0) return text;
        let result = "";
        let from = 0;
        for (let at = 0; at + SHORTEST <= text.length; at++) {
            if (this.starts[slotOf(text, at)] === 0) continue;
            const length = this.lengthAt(text, at);
            if (length === 0) continue;
            result += text.slice(from, at) + replace(text.slice(at, at + length));
            from = at + length;
            at = from - 1;
        }
        return from === 0 ? text : result + text.slice(from);
    }

    private lengthAt(text: string, at: number): number {
        const alike = this.byStart.get(text.slice(at, at + SHORTEST));
        if (!alike) return 0;
        if (alike.length > MAX_ALIKE) {
            return /^\S{0,4096}/.exec(text.slice(at, at + LONGEST))?.[0].length ?? 0;
        }
        const value = alike.find(
            (each) =>
                text.startsWith(each, at) &&
                (each.length >= DISTINCT || isApart(text, at, at + each.length))
        );
        return value?.length ?? 0;
    }
}

function encoded(value: string): string[] {
    if (value.length < DISTINCT) return [];
    // Only whole groups: whatever follows in a longer text changes the last one.
    const bytes = Buffer.from(value);
    const base64 = bytes.subarray(0, bytes.length - (bytes.length % 3)).toString("base64");
    // A lone surrogate has no form in a URL.
    return attempt(() => [base64, encodeURIComponent(value)], [base64]);
}

function isApart(text: string, start: number, end: number): boolean {
    const isWord = (character = "") => /\w/.test(character);
    return !isWord(text[start - 1]) && !isWord(text[end]);
}

function slotOf(text: string, at: number): number {
    return ((text.charCodeAt(at) << 8) ^ text.charCodeAt(at + 1)) & 0xffff;
}
