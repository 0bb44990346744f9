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
    readonly does: "deletes" | "overwrites" | "changes permissions of" | "changes the owner of";
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

/** A consequence of a command that the user should know. */
export type Fact = FileFact | { readonly kind: "other"; readonly text: string };

/** A program and its arguments, without wrappers such as `sudo`. */
export interface Call {
    readonly name: string;
    readonly args: readonly Word[];
    readonly folder: string | undefined;
    /** What a pipe feeds it. */
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

/** Parses arguments in the usual syntax; `valued` lists short options that take a value. */
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
