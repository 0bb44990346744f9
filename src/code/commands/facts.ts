/** A word of a command line, as far as it is known without running anything. */
export interface Word {
    /** Its value; for a pattern the glob, with literal characters escaped by backslashes. */
    readonly text: string;
    readonly kind: "literal" | "pattern" | "unknown";
    /** As typed. */
    readonly shown: string;
}

export interface FileFact {
    readonly kind: "files";
    /** `writes` and `links to` lose nothing; they matter only outside the project. */
    readonly does:
        | "deletes"
        | "overwrites"
        | "writes"
        | "links to"
        | "changes permissions of"
        | "changes the owner of";
    readonly words: readonly Word[];
    /** The folder the words are relative to, from the command's folder; `undefined` if unknown. */
    readonly folder: string | undefined;
    /** Includes everything below a folder. */
    readonly isDeep: boolean;
    /** Limits the files by their git status; `changed` means tracked and modified. */
    readonly among?: "changed" | "untracked" | "ignored" | "untracked or ignored";
    /** Only some of the files; which ones, only a run would show. */
    readonly isSubset?: true;
    /** What is copied or moved; in a target folder, it replaces entries of the same name. */
    readonly sources?: readonly Word[];
}

export type Fact =
    | FileFact
    /** A consequence that the user should know; whether it runs a program that is not known. */
    | { readonly kind: "other"; readonly text: string; readonly hidesProgram?: true }
    /** What containment lacks, so that the command is known to fail, as `CommandForecast.needs`. */
    | { readonly kind: "needs"; readonly text: string }
    /** It reaches hosts through HTTP, so that it may work contained; the need where not. */
    | { readonly kind: "network"; readonly text: string };

/** A program and its arguments, without wrappers such as `sudo`. */
export interface ProgramCall {
    readonly name: string;
    readonly args: readonly Word[];
    readonly folder: string | undefined;
    /** What its stdin is: the output of a download, of another program, or a file or text. */
    readonly input?: "download" | "text" | "file";
}

export function other(text: string): Fact {
    return { kind: "other", text };
}

export function needs(text: string): Fact {
    return { kind: "needs", text };
}

export function network(name: string): Fact {
    return { kind: "network", text: `${name} needs the network` };
}

/** It runs a program known only at run time. */
export function hidden(text: string): Fact {
    return { kind: "other", text, hidesProgram: true };
}

/** What it runs is known only at run time. */
export function atRunTime(what: string, shown: string): Fact {
    return hidden(`${what} known only at run time: ${shown}`);
}

/** A program and its arguments, as far as they are known without running anything. */
export interface KnownCall {
    /** Words up to the first that is not known, without quotes. */
    readonly words: readonly string[];
    readonly isWhole: boolean;
}

/** What is known of a call. A pattern that begins with one may stand for any words. */
export function knownCall({ name, args }: ProgramCall): KnownCall {
    const isKnown = ({ kind, text }: Word) =>
        kind === "literal" || (kind === "pattern" && !/^[*?[{]/.test(text));
    const end = args.findIndex((word) => !isKnown(word));
    const known = end < 0 ? args : args.slice(0, end);
    return { words: [name, ...known.map(({ text }) => text)], isWhole: end < 0 };
}

/** Writes that lose nothing, such as new files. */
export function writeFacts(
    { folder }: Pick<ProgramCall, "folder">,
    words: readonly Word[]
): readonly FileFact[] {
    return words.length === 0
        ? []
        : [{ kind: "files", does: "writes", words, folder, isDeep: false }];
}

/** The rest of a word, such as the path in `of=PATH`. */
export function wordAfter(word: Word, length: number): Word {
    return { ...word, text: word.text.slice(length), shown: word.shown.slice(length) };
}

const NONE: ReadonlySet<string> = new Set();

export function literal(text: string): Word {
    return { text, kind: "literal", shown: text };
}

export function unknown(shown: string): Word {
    return { text: "", kind: "unknown", shown };
}

/** Parses arguments in the usual syntax; the others list options that take a separate value. */
export function argumentsOf(
    args: readonly Word[],
    valued = "",
    longValued: ReadonlySet<string> = NONE
) {
    const options = new Map<string, string>();
    const operands: Word[] = [];
    for (let index = 0; index < args.length; index += 1) {
        const word = args[index];
        if (word === undefined) break;
        const { text } = word;
        if (text === "--") {
            operands.push(...args.slice(index + 1));
            break;
        }
        if (text.startsWith("--")) {
            const [, name = "", value] = /^--([^=]*)(?:=([^]*))?$/.exec(text) ?? [];
            const isSplit = value === undefined && longValued.has(name);
            if (isSplit) index += 1;
            options.set(name, value ?? (isSplit ? (args[index]?.text ?? "") : ""));
        } else if (text.length > 1 && text.startsWith("-")) {
            const at = [...text].findIndex(
                (letter, position) => position > 0 && valued.includes(letter)
            );
            for (const letter of at < 0 ? text.slice(1) : text.slice(1, at)) {
                options.set(letter, "");
            }
            if (at < 0) continue;
            const attached = text.slice(at + 1);
            if (attached === "") index += 1;
            options.set(text[at] ?? "", attached === "" ? (args[index]?.text ?? "") : attached);
        } else {
            operands.push(word);
        }
    }
    return {
        has: (...names: readonly string[]) => names.some((name) => options.has(name)),
        value: (...names: readonly string[]) =>
            names.map((name) => options.get(name)).find(Boolean),
        operands,
    };
}
