import { lstat, readdir, realpath } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { compileGlob } from "../../base/glob.js";

/** A word of a command that names files: a path or a glob. */
interface TargetWord {
    readonly text: string;
    readonly kind: "literal" | "pattern" | "unknown";
    readonly shown: string;
}

/** Max paths a glob may expand to; beyond that, its targets count as unknown. */
const MAX_PATHS = 5_000;
const MAX_SEGMENTS = 40;

/** Expands a word to absolute paths; `undefined` if that cannot be known. */
export async function pathsOf(
    word: TargetWord,
    folder: string,
    root: string
): Promise<readonly string[] | undefined> {
    if (word.kind === "unknown") return undefined;
    if (word.text === ":/") return [root];
    const text = withHome(word);
    // `~user`, `~+`, `~-`
    const isOtherHome = /^~[^/]/.test(text) && word.shown.startsWith("~");
    if (text.includes("\0") || isOtherHome) return undefined;
    if (word.kind === "literal") return [path.resolve(folder, text)];
    const segments = text.split("/");
    if (segments.length > MAX_SEGMENTS) return undefined;
    let paths = [text.startsWith("/") ? "/" : folder];
    for (const segment of segments.filter((part) => part !== "")) {
        paths = await stepInto(paths, segment);
        if (paths.length > MAX_PATHS) return undefined;
    }
    return paths;
}

/** Expands `~/a` unless the tilde is quoted, and `$HOME/a`, which the reader of words made one. */
export function withHome({ text, shown }: Pick<TargetWord, "text" | "shown">): string {
    const isHome = /^~(?:\/|$)/.test(text) && /^(?:~|"?\$(?:HOME|\{HOME\}))/.test(shown);
    return isHome ? homedir() + text.slice(1) : text;
}

async function stepInto(paths: readonly string[], segment: string): Promise<string[]> {
    const plain = segment.replace(/\\([^])/g, "$1");
    if (!/[*?[{]/.test(segment.replace(/\\[^]/g, ""))) {
        const next = paths.map((location) => path.join(location, plain));
        const found = await Promise.all(
            next.map(async (file) => ((await entryAt(file)) ? [file] : []))
        );
        return found.flat();
    }
    const isMatch = await compileGlob(segment).catch(() => undefined);
    if (isMatch === undefined) return [];
    const matches: string[] = [];
    for (const location of paths) {
        const names = await readdir(location).catch(() => []);
        for (const name of names.sort()) {
            // As in bash, globs match hidden files only if they start with a dot.
            if (name.startsWith(".") && !segment.startsWith(".")) continue;
            if (isMatch(name)) matches.push(path.join(location, name));
        }
        if (matches.length > MAX_PATHS) break;
    }
    return matches;
}

export async function entryAt(file: string) {
    return lstat(file).catch(() => undefined);
}

/** Resolves links: a write through a link changes its target. */
export async function writtenFile(file: string): Promise<string> {
    return realpath(file).catch(() => file);
}
