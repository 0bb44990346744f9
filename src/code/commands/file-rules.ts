import {
    argumentsOf,
    other,
    wordAfter,
    writeFacts,
    type ProgramCall,
    type Fact,
    type FileFact,
    type Word,
} from "./facts.js";
import { resolveFolder } from "./git-rules.js";

/** What each program does to files, given its arguments. */
export const FILE_RULES: Readonly<Record<string, (call: ProgramCall) => readonly Fact[]>> = {
    rm: (call) => deleteFacts(call, { isDeep: argumentsOf(call.args).has("r", "R", "recursive") }),
    rmdir: writtenOperands,
    touch: (call) => writeFacts(call, argumentsOf(call.args, "drt").operands),
    mkdir: (call) => writeFacts(call, argumentsOf(call.args, "mZ").operands),
    mkfifo: writtenOperands,
    mknod: (call) => writeFacts(call, argumentsOf(call.args, "m").operands.slice(0, 1)),
    fallocate: (call) => writeFacts(call, argumentsOf(call.args, "lo").operands),
    mktemp: (call) => {
        const { value, operands } = argumentsOf(call.args, "p");
        return writeFacts(call, [...operands, ...wordsOf(call.args, value("p", "tmpdir"))]);
    },
    split: (call) => writeFacts(call, argumentsOf(call.args, "abClntd").operands.slice(1)),
    csplit: (call) => {
        const { value } = argumentsOf(call.args, "bfn");
        return writeFacts(call, wordsOf(call.args, value("f", "prefix")));
    },
    uniq: (call) => overwriteFacts(call, argumentsOf(call.args, "fsw").operands.slice(1)),
    zip: (call) => writeFacts(call, argumentsOf(call.args, "bnPtx").operands.slice(0, 1)),
    zstd: writtenOperands,
    gzip: writtenOperands,
    gunzip: writtenOperands,
    bzip2: writtenOperands,
    xz: writtenOperands,
    unlink: (call) => deleteFacts(call, { isDeep: false }),
    shred: (call) => deleteFacts(call, { isDeep: false, valued: "ns" }),
    srm: (call) => deleteFacts(call, { isDeep: true }),
    trash: (call) => deleteFacts(call, { isDeep: true }),
    rimraf: (call) => deleteFacts(call, { isDeep: true }),
    del: (call) => deleteFacts(call, { isDeep: true }),
    // What is moved disappears where it was.
    mv: (call) => {
        const { value, operands } = argumentsOf(call.args, "tS");
        const sources = value("t", "target-directory") ? operands : operands.slice(0, -1);
        return [...copyOrMoveFacts(call), ...writeFacts(call, sources)];
    },
    cp: copyOrMoveFacts,
    install: (call) => {
        const { has, operands } = argumentsOf(call.args, "mogtS");
        return has("d") ? writeFacts(call, operands) : copyOrMoveFacts(call);
    },
    ln: (call) => {
        const { has, value, operands } = argumentsOf(call.args, "tS");
        const named = value("t", "target-directory");
        const targets = named ? wordsOf(call.args, named) : operands.slice(1).slice(-1);
        const sources = operands.length > 1 && !named ? operands.slice(0, -1) : operands;
        const [target] = targets;
        // A symbolic link's target is relative to the link.
        const folder = has("s", "symbolic") && target ? folderOf(call, target) : call.folder;
        const made = has("f", "force") ? copyOrMoveFacts(call) : writeFacts(call, targets);
        const linked = { words: sources, isDeep: false, does: "links to" } as const;
        return [...made, fileFact({ folder }, linked)];
    },
    tee: (call) => {
        const { has, operands } = argumentsOf(call.args);
        return has("a", "append") ? writeFacts(call, operands) : overwriteFacts(call, operands);
    },
    truncate: (call) => overwriteFacts(call, argumentsOf(call.args, "sr").operands),
    sponge: (call) => overwriteFacts(call, call.args),
    dd: (call) => {
        const to = call.args.find(({ text }) => text.startsWith("of="));
        return to ? overwriteFacts(call, [wordAfter(to, "of=".length)]) : [];
    },
    sed: (call) => {
        const { has, operands } = argumentsOf(withoutSuffix(call.args), "efl");
        const runs = call.args.some(({ text }) => SED_EFFECTS.test(text.slice(0, 5_000)));
        if (runs) return [other("runs programs or writes files from sed")];
        if (!has("i", "in-place")) return [];
        const files = has("e", "expression", "f", "file") ? operands : operands.slice(1);
        return overwriteFacts(
            call,
            files.filter(({ text, kind }) => text !== "" || kind !== "literal")
        );
    },
    perl: inPlaceFacts,
    ruby: inPlaceFacts,
    curl: downloadFacts,
    wget: (call) => {
        const { has, value } = argumentsOf(call.args, "OoPUe");
        const sends = has("post-data", "post-file", "body-data", "body-file");
        return [
            ...outputFacts(call, value("O", "output-document")),
            ...writeFacts(call, wordsOf(call.args, value("P", "directory-prefix"))),
            ...(sends ? [other("sends data to a server")] : []),
        ];
    },
    tar: (call) => {
        const [first] = call.args;
        const extracts =
            /^-?[a-zA-Z]*x/.test(first?.text ?? "") ||
            call.args.some(({ text }) => /^(-[^\Wx]*x\w*|--extract|--get)$/.test(text));
        const { value } = argumentsOf(call.args, "Cf");
        const into = writeFacts(call, wordsOf(call.args, value("C", "directory")));
        if (extracts) return [...EXTRACT_FACTS, ...into];
        const makes = call.args.some(({ text }) => /^-?[a-zA-Z]*c|^--create$/.test(text));
        const at = call.args.findIndex(({ text }) => /^-?[a-zA-Z]*f$|^--file$/.test(text));
        return makes && at >= 0 ? writeFacts(call, call.args.slice(at + 1, at + 2)) : [];
    },
    unzip: (call) => {
        const { has, value } = argumentsOf(call.args, "dPx");
        if (has("l", "t", "p", "v", "n", "Z")) return [];
        return [...EXTRACT_FACTS, ...writeFacts(call, wordsOf(call.args, value("d")))];
    },
    rsync: (call) => {
        const { has, operands } = argumentsOf(call.args, "efBMT");
        if (has("n", "dry-run")) return [];
        const target = operands.at(-1)?.shown ?? "its target";
        const deletes = call.args.some(({ text }) => /^--(del|delete)/.test(text));
        return [other(`${deletes ? "deletes and overwrites" : "overwrites"} files in ${target}`)];
    },
    chmod: (call) => {
        const { has, operands } = argumentsOf(call.args.map(modeAsOperand));
        const isDeep = has("R", "recursive");
        const [mode, ...words] = operands;
        if (!isDeep && !opensToOthers(mode?.text ?? "")) return writeFacts(call, words);
        return [fileFact(call, { does: "changes permissions of", words, isDeep })];
    },
    chown: ownerFacts,
    chgrp: ownerFacts,
};

/** `w file`, `1e program`, `s/a/b/e`. */
const SED_EFFECTS = /(?:^|[;{}\n\d$/!][ \t]*)[ew](?:\s|$)/;

const EXTRACT_FACTS: readonly Fact[] = [other("extracts over files of the same name")];

function fileFact(
    { folder }: Pick<ProgramCall, "folder">,
    fact: Pick<FileFact, "does" | "words" | "isDeep">
): FileFact {
    return { kind: "files", ...fact, folder };
}

/** `valued`: its options that take a value. */
function deleteFacts(
    call: ProgramCall,
    { isDeep, valued = "" }: { readonly isDeep: boolean; readonly valued?: string }
): readonly Fact[] {
    const { operands, has } = argumentsOf(call.args, valued);
    if (has("help", "version")) return [];
    return operands.length > 0
        ? [fileFact(call, { does: "deletes", words: operands, isDeep })]
        : [];
}

export function overwriteFacts(
    call: Pick<ProgramCall, "folder">,
    words: readonly Word[]
): readonly Fact[] {
    return words.length === 0 ? [] : [fileFact(call, { does: "overwrites", words, isDeep: false })];
}

/** `mv a b`, `cp a b folder`, `cp -t folder a`. */
function copyOrMoveFacts(call: ProgramCall): readonly Fact[] {
    const { has, value, operands } = argumentsOf(call.args, "tSmog");
    const named = value("t", "target-directory");
    const words = named === undefined ? operands.slice(-1) : wordsOf(call.args, named);
    const sources = named === undefined ? operands.slice(0, -1) : operands;
    if (words.length === 0 || sources.length === 0) return [];
    const isCareful = has("n", "no-clobber", "i", "interactive", "b", "backup");
    if (isCareful) return writeFacts(call, words);
    return [{ ...fileFact(call, { does: "overwrites", words, isDeep: false }), sources }];
}

function inPlaceFacts(call: ProgramCall): readonly Fact[] {
    const args = withoutSuffix(call.args);
    const { has, operands } = argumentsOf(args, "eEIMm");
    if (!has("i")) return [];
    return overwriteFacts(call, has("e", "E") ? operands : operands.slice(1));
}

/** Treats `-i.bak` as `-i`, for the sake of the other options. */
function withoutSuffix(args: readonly Word[]): readonly Word[] {
    return args.map((word) => {
        const [, options] = /^(-[a-hj-zA-Z]*i)[^a-zA-Z]/.exec(word.text) ?? [];
        return options === undefined ? word : { ...word, text: options };
    });
}

function downloadFacts(call: ProgramCall): readonly Fact[] {
    const { value, has, operands } = argumentsOf(call.args, "oXdFHuATbceKmUwxrE");
    const facts = outputFacts(call, value("o", "output"));
    const sends = has("d", "F", "T", "data", "data-binary", "form", "upload-file", "json");
    const method = value("X", "request") ?? "";
    if (!sends && !/^(post|put|patch|delete)$/i.test(method)) return facts;
    return [...facts, other(`sends data to ${operands.at(-1)?.shown ?? "a server"}`)];
}

function folderOf({ folder }: ProgramCall, { text, kind, shown }: Word): string | undefined {
    const above = text.slice(0, text.lastIndexOf("/") + 1);
    return resolveFolder(folder, { text: above || ".", kind, shown });
}

/** The file that an option writes; `-` is stdout. */
function outputFacts(call: ProgramCall, file: string | undefined): readonly Fact[] {
    return file === "-" ? [] : overwriteFacts(call, wordsOf(call.args, file));
}

/** The last argument with an option's value, which may be attached: `-o/path`. */
function wordsOf(args: readonly Word[], value: string | undefined): Word[] {
    if (value === undefined) return [];
    return args
        .filter(({ text }) => text.endsWith(value))
        .slice(-1)
        .map((word) => wordAfter(word, word.text.length - value.length));
}

function writtenOperands(call: ProgramCall): readonly Fact[] {
    return writeFacts(call, argumentsOf(call.args).operands);
}

/** Whether a mode lets others write, or sets setuid or setgid. */
function opensToOthers(mode: string): boolean {
    if (/^[0-7]*[0-7][0-7][2367]$|^[0-7]?[4-7][0-7]{3}$/.test(mode)) return true;
    return mode.split(",").some((clause) => {
        const [who = "", ...rights] = clause.split(/[+=]/);
        return rights.some(
            (right) => right.includes("s") || (/[oa]/.test(who) && right.includes("w"))
        );
    });
}

/** `-x` and `-w` remove permissions; they are modes, not options. */
function modeAsOperand(word: Word): Word {
    return /^-[rwxst]+$/.test(word.text) ? { ...word, text: word.text.slice(1) } : word;
}

function ownerFacts(call: ProgramCall): readonly Fact[] {
    const { has, operands } = argumentsOf(call.args);
    const isDeep = has("R", "recursive");
    return [fileFact(call, { does: "changes the owner of", words: operands.slice(1), isDeep })];
}
