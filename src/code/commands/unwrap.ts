import { argumentsOf, literal, other, unknown, type Call, type Fact, type Word } from "./facts.js";

/** A program that runs another one, given in its arguments. */
interface Wrapper {
    /** Short options that take a value. */
    readonly valued?: string;
    /** Number of arguments before the other program. */
    readonly operands?: number;
    readonly says?: (options: string) => string;
}

const ROOT: Wrapper["says"] = () => "as root";

const WRAPPERS: Readonly<Record<string, Wrapper>> = {
    sudo: { valued: "ughpCTrtDR", says: asUser },
    doas: { valued: "uC", says: asUser },
    pkexec: { says: ROOT },
    run0: { says: ROOT },
    env: { valued: "uC" },
    exec: { valued: "a" },
    npx: { valued: "p" },
    caffeinate: { valued: "tw" },
    timeout: { valued: "ks", operands: 1 },
    gtimeout: { valued: "ks", operands: 1 },
    nice: { valued: "n" },
    ionice: { valued: "cnpPu" },
    time: { valued: "fo" },
    stdbuf: { valued: "ioe" },
    watch: { valued: "n" },
    flock: { valued: "wE", operands: 1 },
    chroot: { operands: 1 },
    strace: { valued: "eopsuEP" },
    xargs: { valued: "InPLdaEs" },
    parallel: { valued: "jN" },
    ...Object.fromEntries(
        "command builtin coproc nohup setsid busybox chronic unbuffer"
            .split(" ")
            .map((name) => [name, {}])
    ),
};

const LONG_VALUED = new Set([
    ...["user", "group", "signal", "kill-after", "adjustment", "unset", "chdir"],
    ...["max-args", "max-procs", "replace-str", "jobs"],
]);
export const SHELLS = new Set(["sh", "bash", "zsh", "dash", "ksh", "ash", "fish"]);
const INTERPRETERS = new Set([
    ...SHELLS,
    ..."python python2 python3 node deno bun perl ruby php osascript pwsh".split(" "),
]);
export const DOWNLOADERS = new Set(["curl", "wget", "aria2c", "fetch", "http", "lwp-request"]);
/** More than anybody writes; each costs a pass over the arguments. */
const MAX_WRAPPERS = 12;

export interface Unwrapped {
    readonly calls: Call[];
    readonly facts: Fact[];
    /** Command lines that it passes to a shell. */
    readonly scripts: string[];
    isComplete: boolean;
}

export function unwrap(words: readonly Word[], from: Pick<Call, "folder" | "input">): Unwrapped {
    const found: Unwrapped = { calls: [], facts: [], scripts: [], isComplete: true };
    let rest = words;
    for (let count = 0; count < MAX_WRAPPERS; count += 1) {
        const [first, ...args] = rest;
        if (first === undefined || first.kind !== "literal") return found;
        const name = first.text.slice(first.text.lastIndexOf("/") + 1);
        const wrapper = Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined;
        if (wrapper === undefined) {
            runProgram({ ...from, name, args }, found);
            return found;
        }
        const begin = programStart(args, wrapper, name);
        const options = args.slice(0, begin).map(({ text }) => text);
        if (wrapper.says) found.facts.push(other(wrapper.says(options.join(" "))));
        if (name === "command" && options.some((option) => /^-[vV]/.test(option))) return found;
        if (name === "npx" && options.some((option) => /^(-y|--yes)$/.test(option))) {
            found.facts.push(other("downloads and runs"));
        }
        if (name === "env" && /^-\w*S/.test(options.at(-2) ?? "")) {
            found.scripts.push(options.at(-1) ?? "");
        }
        rest = args.slice(begin);
        if (name === "xargs" || name === "parallel") {
            rest = [...rest.map(unknownIfPlaceholder), unknown(`what ${name} passes`)];
        }
    }
    found.isComplete = false;
    return found;
}

function asUser(options: string): string {
    const [, user = "root"] = /(?:^|\s)(?:-\w*u\s*|--user[=\s])(\S+)/.exec(options) ?? [];
    return user === "root" ? "as root" : `as ${user}`;
}

function unknownIfPlaceholder(word: Word): Word {
    return word.shown.includes("{}") ? unknown(word.shown) : word;
}

function programStart(args: readonly Word[], { valued = "", operands = 0 }: Wrapper, name: string) {
    let index = 0;
    for (; index < args.length; index += 1) {
        const text = args[index]?.text ?? "";
        if (text === "--") return index + 1 + operands;
        if (text.startsWith("--")) {
            if (LONG_VALUED.has(text.slice(2))) index += 1;
        } else if (text.length > 1 && text.startsWith("-")) {
            const last = text.at(-1) ?? "";
            const isSplit = name === "env" && last === "S";
            if (valued.includes(last) || isSplit) index += 1;
        } else if (!/^\w+=/.test(text)) {
            break;
        }
    }
    return index + operands;
}

function runProgram(call: Call, found: Unwrapped): void {
    const { name, args } = call;
    if (name === "find" || name === "gfind") return runFind(call, found);
    if (name === "eval") {
        if (args.every(({ kind }) => kind !== "unknown")) {
            found.scripts.push(args.map(({ text }) => text).join(" "));
        }
    } else if (name === "trap" && args.length > 1) {
        found.scripts.push(args[0]?.text ?? "");
    } else if (name === "su") {
        found.facts.push(other("as root"));
        found.scripts.push(argumentsOf(args, "cs").value("c", "command") ?? "");
    } else if (SHELLS.has(name)) {
        found.scripts.push(scriptOf(args) ?? "");
    }
    if (isInterpreter(name) && call.input !== undefined && readsInput(args)) {
        const isDownload = call.input === "download";
        found.facts.push(other(isDownload ? "downloads and runs" : "runs what is piped into it"));
    }
    found.calls.push(call);
}

/** The argument of `-c`, also as `-lc` or after `-o pipefail -c`. */
function scriptOf(args: readonly Word[]): string | undefined {
    const at = args.findIndex(({ text }) => /^-[^\Wc]*c\w*$/.test(text));
    return at < 0 ? undefined : args[at + 1]?.text;
}

export function isInterpreter(name: string): boolean {
    return INTERPRETERS.has(name) || /^python3?\.\d+$/.test(name);
}

/** Whether it runs its stdin, rather than a file or text given as an argument. */
export function readsInput(args: readonly Word[]): boolean {
    if (args.some(({ text }) => text === "-" || /^-\w*s$/.test(text))) return true;
    return args.every(({ text, kind }) => kind === "literal" && /^-(?!\w*[cempr])/.test(text));
}

function runFind({ args, folder }: Call, found: Unwrapped): void {
    const end = args.findIndex(({ text }) => /^[-(!]/.test(text));
    const places = args.slice(0, end < 0 ? args.length : end);
    if (args.some(({ text }) => text === "-delete")) {
        found.facts.push({
            kind: "files",
            does: "deletes",
            words: places.length > 0 ? places : [literal(".")],
            folder,
            isDeep: true,
            isSubset: true,
        });
    }
    for (let index = 0; index < args.length; index += 1) {
        if (!/^-(exec|execdir|ok|okdir)$/.test(args[index]?.text ?? "")) continue;
        const begin = index + 1;
        while (index < args.length && !/^[;+]$/.test(args[index]?.text ?? "")) index += 1;
        const words = args
            .slice(begin, index)
            .map((word) => (word.shown.includes("{}") ? unknown("what find finds") : word));
        // Nobody nests find in find.
        if (words.some(({ text }) => /(?:^|\/)g?find$/.test(text))) {
            found.isComplete = false;
            continue;
        }
        const inner = unwrap(words, { folder });
        found.calls.push(...inner.calls);
        found.facts.push(...inner.facts);
        found.scripts.push(...inner.scripts);
        found.isComplete &&= inner.isComplete;
    }
}
