/** A word of a command line, as far as it can be known without running anything. */
export interface Word {
    /** Its value; of a pattern the glob, with backslashes before what is meant literally. */
    readonly text: string;
    readonly kind: "literal" | "pattern" | "unknown";
    /** As it was typed. */
    readonly shown: string;
}

export interface FileFact {
    readonly kind: "files";
    readonly does: "deletes" | "overwrites" | "changes permissions of" | "changes the owner of";
    readonly words: readonly Word[];
    /** Where the words are looked up, from the command's folder; `undefined`: not known. */
    readonly folder: string | undefined;
    /** Everything below a folder as well. */
    readonly isDeep: boolean;
    /** Only files that git tracks and that were changed, or only those that it does not track. */
    readonly among?: "changed" | "untracked" | "ignored" | "untracked or ignored";
    /** Some of the files at most: which ones, only a run would show. */
    readonly isSelection?: true;
    /** What is copied or moved: in a folder it takes the place of what has its name. */
    readonly sources?: readonly Word[];
}

/** What a command does beyond the project's own files. */
export type Fact = FileFact | { readonly kind: "other"; readonly text: string };

/** One program and its arguments, without what stood around it. */
export interface Call {
    readonly name: string;
    readonly args: readonly Word[];
    readonly folder: string | undefined;
    /** What comes in through a pipe. */
    readonly input?: "download" | "text";
}

export function other(text: string): Fact {
    return { kind: "other", text };
}

export function literal(text: string): Word {
    return { text, kind: "literal", shown: text };
}

export function unknown(shown: string): Word {
    return { text: "", kind: "unknown", shown };
}

/** Arguments in the usual syntax; `valued` are the short options that take a value. */
export function argumentsOf(args: readonly Word[], valued = "") {
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
            const [name = "", value = ""] = text.slice(2).split("=", 2);
            options.set(name, value);
        } else if (text.length > 1 && text.startsWith("-")) {
            const at = [...text].findIndex((letter, place) => place > 0 && valued.includes(letter));
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
