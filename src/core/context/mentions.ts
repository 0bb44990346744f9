/** A word of a message that may name a file to attach. */
export interface Mention {
    /** Possible paths, longest first: punctuation may follow a name. */
    readonly candidates: readonly string[];
}

// Only after white space or an opening bracket: e-mail addresses and package scopes are text.
const WORD = /(?<=^|[\s([{])@(?:"([^"\n]+)"|'([^'\n]+)'|([^\s"'@][^\s@]*))/g;
const TRAILING = /(?<![.,;:!?)\]}>"'`])[.,;:!?)\]}>"'`]+$/;
const MOST = 50;

/** Finds `@path`, `@"path with spaces"` and `@'path'`, each once. */
export function mentionsIn(text: string): readonly Mention[] {
    const found = new Map<string, Mention>();
    for (const [, doubleQuoted, quoted, plain = ""] of text.matchAll(WORD)) {
        const exact = doubleQuoted ?? quoted;
        const candidates = exact === undefined ? readings(plain) : [exact];
        const [first] = candidates;
        if (first !== undefined) found.set(first, { candidates });
        if (found.size === MOST) break;
    }
    return [...found.values()];
}

function readings(word: string): string[] {
    const withoutPunctuation = word.replace(TRAILING, "");
    return [...new Set([word, withoutPunctuation])].filter((reading) => reading !== "");
}
