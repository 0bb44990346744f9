import type { ImagePart, TextPart } from "../../plugin/index.js";

export interface AttachedPart {
    readonly content: TextPart | ImagePart;
    readonly origin: string;
}

export interface Attachments {
    readonly parts: readonly AttachedPart[];
    /** Paths inside the repository, relative to its root. */
    readonly paths: readonly string[];
    /** Notices for the user, one sentence each. */
    readonly notices: readonly string[];
}

/** An attachment that is not an `@path` mention in the text. */
export type GivenAttachment =
    /** A file or folder, by its absolute path. */
    | { readonly kind: "file"; readonly path: string }
    | { readonly kind: "text"; readonly name: string; readonly text: string }
    /** `data` is base64. */
    | { readonly kind: "image"; readonly name: string; readonly data: string };

export interface AttachmentRequest {
    /** Words of the message that may be paths; others stay text. */
    readonly mentions: readonly Mention[];
    /** Absolute paths of existing files. */
    readonly files: readonly string[];
    readonly given?: readonly GivenAttachment[] | undefined;
    readonly images: boolean;
    /** Asks the user; absent if nobody can be asked. */
    readonly permit?: ((sentence: string) => Promise<boolean>) | undefined;
    /** Called with the place of a secret that the user lets the model read. */
    onSecret?(path: string): void;
    readonly signal: AbortSignal;
}

/** A word of a message that may name a file to attach. */
export interface Mention {
    /** Possible paths, longest first: punctuation may follow a name. */
    readonly candidates: readonly string[];
}

// Only after white space or an opening bracket: e-mail addresses and package scopes are text.
const MENTION = /(?<=^|[\s([{])@(?:"([^"\n]+)"|'([^'\n]+)'|([^\s"'@][^\s@]*))/g;
const TRAILING = /(?<![.,;:!?)\]}>"'`])[.,;:!?)\]}>"'`]+$/;
const MAX_MENTIONS = 50;

/** Finds `@path`, `@"path with spaces"` and `@'path'`, each once. */
export function mentionsIn(text: string): readonly Mention[] {
    const found = new Map<string, Mention>();
    for (const [, doubleQuoted, quoted, plain = ""] of text.matchAll(MENTION)) {
        const exact = doubleQuoted ?? quoted;
        const candidates = exact === undefined ? candidatePaths(plain) : [exact];
        const [first] = candidates;
        if (first !== undefined) found.set(first, { candidates });
        if (found.size === MAX_MENTIONS) break;
    }
    return [...found.values()];
}

function candidatePaths(word: string): string[] {
    const withoutPunctuation = word.replace(TRAILING, "");
    return [...new Set([word, withoutPunctuation])].filter((reading) => reading !== "");
}
