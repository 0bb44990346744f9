import { argumentsOf, other, type Call, type Fact, type FileFact, type Word } from "./facts.js";

/** What each program does to files, given its arguments. */
export const FILE_RULES: Readonly<Record<string, (call: Call) => readonly Fact[]>> = {
    rm: (call) => deleteFacts(call, argumentsOf(call.args).has("r", "R", "recursive")),
    rmdir: () => [],
    unlink: (call) => deleteFacts(call, false),
    shred: (call) => deleteFacts(call, false, "ns"),
    srm: (call) => deleteFacts(call, true),
    trash: (call) => deleteFacts(call, true),
    rimraf: (call) => deleteFacts(call, true),
    del: (call) => deleteFacts(call, true),
    mv: copyOrMoveFacts,
    cp: copyOrMoveFacts,
    install: (call) => (argumentsOf(call.args, "mogtS").has("d") ? [] : copyOrMoveFacts(call)),
    ln: (call) => (argumentsOf(call.args).has("f", "force") ? copyOrMoveFacts(call) : []),
    tee: (call) => {
        const { has, operands } = argumentsOf(call.args);
        return has("a", "append") ? [] : overwriteFacts(call, operands);
    },
    truncate: (call) => overwriteFacts(call, argumentsOf(call.args, "sr").operands),
    sponge: (call) => overwriteFacts(call, call.args),
    dd: (call) => {
        const to = call.args.find(({ text }) => text.startsWith("of="));
        return to
            ? overwriteFacts(call, [{ ...to, text: to.text.slice(3), shown: to.shown.slice(3) }])
            : [];
    },
    sed: (call) => {
        const { has, operands } = argumentsOf(withoutSuffix(call.args), "efl");
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
        return outputFacts(call, argumentsOf(call.args, "OoPUe").value("O", "output-document"));
    },
    tar: (call) => {
        const [first] = call.args;
        const extracts =
            /^-?[a-zA-Z]*x/.test(first?.text ?? "") ||
            call.args.some(({ text }) => /^(-[^\Wx]*x\w*|--extract|--get)$/.test(text));
        return extracts ? EXTRACT_FACTS : [];
    },
    unzip: (call) =>
        argumentsOf(call.args, "dPx").has("l", "t", "p", "v", "n", "Z") ? [] : EXTRACT_FACTS,
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
        if (!isDeep && !opensToOthers(mode?.text ?? "")) return [];
        return [fileFact(call, "changes permissions of", words, isDeep)];
    },
    chown: ownerFacts,
    chgrp: ownerFacts,
};

const EXTRACT_FACTS: readonly Fact[] = [other("extracts over files of the same name")];

function fileFact(
    { folder }: Pick<Call, "folder">,
    does: FileFact["does"],
    words: readonly Word[],
    isDeep: boolean
): FileFact {
    return { kind: "files", does, words, folder, isDeep };
}

function deleteFacts(call: Call, isDeep: boolean, valued = ""): readonly Fact[] {
    const { operands, has } = argumentsOf(call.args, valued);
    if (has("help", "version")) return [];
    return operands.length > 0 ? [fileFact(call, "deletes", operands, isDeep)] : [];
}

export function overwriteFacts(
    call: Pick<Call, "folder">,
    words: readonly Word[]
): readonly Fact[] {
    return words.length === 0 ? [] : [fileFact(call, "overwrites", words, false)];
}

/** `mv a b`, `cp a b folder`, `cp -t folder a`. */
function copyOrMoveFacts(call: Call): readonly Fact[] {
    const { has, value, operands } = argumentsOf(call.args, "tSmog");
    if (has("n", "no-clobber", "i", "interactive", "b", "backup")) return [];
    const named = value("t", "target-directory");
    const words = named === undefined ? operands.slice(-1) : wordsOf(call.args, named);
    const sources = named === undefined ? operands.slice(0, -1) : operands;
    if (words.length === 0 || sources.length === 0) return [];
    return [{ ...fileFact(call, "overwrites", words, false), sources }];
}

function inPlaceFacts(call: Call): readonly Fact[] {
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

function downloadFacts(call: Call): readonly Fact[] {
    const { value, has, operands } = argumentsOf(call.args, "oXdFHuATbceKmUwxrE");
    const facts = outputFacts(call, value("o", "output"));
    const sends = has("d", "F", "T", "data", "data-binary", "form", "upload-file", "json");
    const method = value("X", "request") ?? "";
    if (!sends && !/^(post|put|patch|delete)$/i.test(method)) return facts;
    return [...facts, other(`sends data to ${operands.at(-1)?.shown ?? "a server"}`)];
}

/** The file that an option writes; `-` is stdout. */
function outputFacts(call: Call, file: string | undefined): readonly Fact[] {
    return file === undefined || file === "-" ? [] : overwriteFacts(call, wordsOf(call.args, file));
}

/** The last argument with this value. */
function wordsOf(args: readonly Word[], text: string): Word[] {
    return args.filter((word) => word.text === text).slice(-1);
}

/** Whether a mode lets others write, or sets setuid or setgid. */
function opensToOthers(mode: string): boolean {
    if (/^[0-7]*[0-7][0-7][2367]$|^[0-7]?[4-7][0-7]{3}$/.test(mode)) return true;
    return mode.split(",").some((clause) => {
        const [who = "", ...rights] = clause.split("+");
        return rights.some(
            (right) => right.includes("s") || (/[oa]/.test(who) && right.includes("w"))
        );
    });
}

/** `-x` and `-w` remove permissions; they are modes, not options. */
function modeAsOperand(word: Word): Word {
    return /^-[rwxst]+$/.test(word.text) ? { ...word, text: word.text.slice(1) } : word;
}

function ownerFacts(call: Call): readonly Fact[] {
    const { has, operands } = argumentsOf(call.args);
    const isDeep = has("R", "recursive");
    return [fileFact(call, "changes the owner of", operands.slice(1), isDeep)];
}
