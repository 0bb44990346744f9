/** A word of a message that names a file to attach, if there is such a file. */
export interface Mention {
    /** Readings of the word, the longest first: a sentence's punctuation may follow a name. */
    readonly candidates: readonly string[];
}

// After white space or an opening bracket only: e-mail addresses and package scopes are text.
const WORD = /(?<=^|[\s([{])@(?:"([^"\n]+)"|'([^'\n]+)'|([^\s"'@][^\s@]*))/g;
const TRAILING = /[.,;:!?)\]}>"'`]+$/;
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
