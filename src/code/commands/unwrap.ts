import {
    argumentsOf,
    atRunTime,
    literal,
    needs,
    other,
    unknown,
    writeFacts,
    type ProgramCall,
    type Fact,
    type Word,
} from "./facts.js";
import { isGivenSafely } from "./shell-state.js";

/** A program that runs another one, given in its arguments. */
interface Wrapper {
    /** Short options that take a value. */
    readonly valued?: string;
    /** Number of arguments before the other program. */
    readonly operands?: number;
    /** The subcommand that runs another program. */
    readonly by?: RegExp;
    readonly says?: (options: string) => readonly Fact[];
    /**
     * Security: the options with which it runs the very program that the shell would, and exits as
     * that does. With others, and if absent, no result of the program is known.
     */
    readonly showsExit?: RegExp;
}

const AS_ROOT = (options: string) => [asUser(options), needs("It needs more privileges")];
const ANY = /^/;
const NONE = /^--$/;
const DOWNLOADS = () => [other("downloads and runs")];

const WRAPPERS: Readonly<Record<string, Wrapper>> = {
    sudo: { valued: "ughpCTrtDR", says: AS_ROOT, showsExit: /^(?:-[nEHu]|[\w-]+)$/ },
    doas: { valued: "uC", says: AS_ROOT },
    runuser: { valued: "ugG", says: AS_ROOT },
    pkexec: { says: AS_ROOT },
    run0: { says: AS_ROOT },
    env: { valued: "uC", showsExit: NONE },
    exec: { valued: "a" },
    npx: { valued: "p", showsExit: /^(?:-y|--yes|--no|--no-install)$/ },
    bunx: { says: DOWNLOADS, showsExit: NONE },
    uvx: { says: DOWNLOADS, showsExit: NONE },
    pnpx: { says: DOWNLOADS, showsExit: NONE },
    npm: { valued: "wC", by: /^(?:exec|x)$/, showsExit: /^(?:exec|x|-y|--yes|--no|--)$/ },
    pnpm: { valued: "C", by: /^(?:exec|dlx)$/, showsExit: /^(?:exec|dlx|--)$/ },
    yarn: { by: /^(?:exec|dlx)$/, showsExit: /^(?:exec|dlx|--)$/ },
    bun: { valued: "C", by: /^x$/, showsExit: /^x$/ },
    uv: { by: /^run$/, showsExit: /^(?:run|--)$/ },
    poetry: { by: /^run$/, showsExit: /^(?:run|--)$/ },
    pdm: { by: /^run$/, showsExit: /^(?:run|--)$/ },
    pipenv: { by: /^run$/, showsExit: /^(?:run|--)$/ },
    hatch: { by: /^run$/, showsExit: /^(?:run|--)$/ },
    pipx: { by: /^run$/, says: DOWNLOADS, showsExit: /^run$/ },
    bundle: { by: /^exec$/, showsExit: /^exec$/ },
    coverage: { by: /^run$/, showsExit: /^(?:run|-[map]|--branch|--source=.*)$/ },
    caffeinate: { valued: "tw", showsExit: ANY },
    timeout: { valued: "ks", operands: 1, showsExit: ANY },
    gtimeout: { valued: "ks", operands: 1, showsExit: ANY },
    nice: { valued: "n", showsExit: ANY },
    ionice: { valued: "cnpPu", showsExit: /^(?:-[cn]\d*|\d)$/ },
    chrt: { operands: 1 },
    taskset: { operands: 1 },
    time: { valued: "fo", showsExit: ANY },
    stdbuf: { valued: "ioe", showsExit: ANY },
    watch: { valued: "n" },
    flock: { valued: "wE", operands: 1 },
    chroot: { operands: 1 },
    strace: { valued: "eopsuEP" },
    xargs: { valued: "InPLdaEs", showsExit: /^(?:-0|-[nP]?\d*)$|^\d+$/ },
    parallel: { valued: "jN" },
    "systemd-run": { valued: "puE" },
    coproc: {},
    ...Object.fromEntries(
        "builtin setsid busybox entr ltrace valgrind setpriv unshare"
            .split(" ")
            .map((name) => [name, {}])
    ),
    ...Object.fromEntries(
        "command nohup chronic unbuffer cross-env xvfb-run"
            .split(" ")
            .map((name) => [name, { showsExit: /^(?:-p|-a|--)$/ }])
    ),
};

const LONG_VALUED = new Set([
    ...["user", "signal", "kill-after", "adjustment", "unset", "chdir"],
    ...["max-args", "max-procs", "replace-str", "jobs", "package", "with", "group"],
]);
export const SHELLS = new Set(["sh", "bash", "zsh", "dash", "ksh", "ash", "fish"]);
const INTERPRETERS = new Set([
    ...SHELLS,
    ..."python node deno bun perl ruby php osascript pwsh".split(" "),
]);
export const DOWNLOADERS = new Set(["curl", "wget", "aria2c", "fetch", "http", "lwp-request"]);
/** More than anybody writes; each costs a pass over the arguments. */
const MAX_WRAPPERS = 12;

interface Unwrapped {
    readonly calls: ProgramCall[];
    readonly facts: Fact[];
    /** Command lines that it passes to a shell. */
    readonly scripts: string[];
    isComplete: boolean;
    /** Whether the exit code may not be the one of the calls and scripts. */
    hidesExit: boolean;
    /** The programs that are named by their path, system folders excepted. */
    readonly paths: Word[];
}

export function unwrap(
    words: readonly Word[],
    from: Pick<ProgramCall, "folder" | "input">
): Unwrapped {
    const found: Unwrapped = {
        calls: [],
        facts: [],
        scripts: [],
        isComplete: true,
        hidesExit: false,
        paths: [],
    };
    let rest = words;
    for (let count = 0; count < MAX_WRAPPERS; count += 1) {
        const [first, ...args] = rest;
        if (first === undefined) return found;
        // Arithmetic, which runs nothing itself.
        if (first.shown.startsWith("((")) return found;
        if (first.kind !== "literal") {
            found.facts.push(atRunTime("runs a program", first.shown));
            return found;
        }
        if (first.text.includes("/") && !SYSTEM.test(first.text)) found.paths.push(first);
        const name = nameOf(first);
        const wrapper = Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined;
        const begin = wrapper && programStart(args, wrapper, name);
        if (wrapper === undefined || begin === undefined) {
            runProgram({ ...from, name, args }, found);
            return found;
        }
        const options = args.slice(0, begin).map(({ text }) => text);
        found.hidesExit ||= !showsExit(options, wrapper);
        found.facts.push(...(wrapper.says?.(options.join(" ")) ?? []));
        if (name === "command" && options.some((option) => /^-[vV]/.test(option))) return found;
        if (options.some((option) => /^(?:-y|--yes|dlx)$/.test(option))) {
            found.facts.push(...DOWNLOADS());
        }
        const [, script] =
            /(?:^|\u0000)(?:-\w*S|-c|--call)\u0000(.*)/s.exec(options.join("\0")) ?? [];
        if (script !== undefined && /^(?:env|npx|npm)$/.test(name)) found.scripts.push(script);
        if (name === "systemd-run") found.calls.push({ ...from, name, args });
        rest = args.slice(begin);
        if (rest.length > 0 && (name === "xargs" || name === "parallel")) {
            rest = [...rest.map(unknownIfPlaceholder), unknown(`what ${name} passes`)];
        }
    }
    found.isComplete = false;
    return found;
}

/** Where only administrators write. */
const SYSTEM = /^\/(?:usr\/(?:local\/)?)?bin\/[^/]+$/;

function showsExit(options: readonly string[], { showsExit: known }: Wrapper): boolean {
    if (known === undefined) return false;
    return options.every((option) =>
        /^\w+=/.test(option) ? isGivenSafely(option) : known.test(option)
    );
}

/** `/usr/bin/python3.11` is python, `npx vitest@1` vitest, and python's `-m pytest` pytest. */
function nameOf({ text }: Word): string {
    const name = text.slice(text.lastIndexOf("/") + 1);
    const [, versioned] = /^(python|pip)[\d.]*$/.exec(name) ?? [];
    const version = name.indexOf("@", 1);
    return versioned ?? (version < 0 ? name : name.slice(0, version));
}

function asUser(options: string): Fact {
    const [, user = "root"] = /(?:^|\s)(?:-\w*u\s*|--user[=\s])(\S+)/.exec(options) ?? [];
    return other(user === "root" ? "as root" : `as ${user}`);
}

function unknownIfPlaceholder(word: Word): Word {
    return word.shown.includes("{}") ? unknown(word.shown) : word;
}

/** Where the other program begins; `undefined` if the wrapper does its own work. */
function programStart(
    args: readonly Word[],
    { valued = "", operands = 0, by }: Wrapper,
    name: string
): number | undefined {
    let index = 0;
    let isRunning = by === undefined;
    for (; index < args.length; index += 1) {
        const text = args[index]?.text ?? "";
        if (text === "--") return isRunning ? index + 1 + operands : undefined;
        if (text.startsWith("--")) {
            if (LONG_VALUED.has(text.slice(2))) index += 1;
        } else if (text.length > 1 && text.startsWith("-")) {
            const last = text.at(-1) ?? "";
            const isScript = (name === "env" && last === "S") || (name === "npx" && last === "c");
            if (valued.includes(last) || isScript) index += 1;
        } else if (!isRunning) {
            if (!by?.test(text)) return undefined;
            isRunning = true;
        } else if (!/^\w+=/.test(text)) {
            break;
        }
    }
    return isRunning ? index + operands : undefined;
}

/** A shell and its options, if it runs a script as North's own would. */
const PLAIN_SHELL = /^(?:ba|da)?sh(?: (?:-[ceulxo]+|errexit|nounset|pipefail))+$/;

function runProgram(call: ProgramCall, found: Unwrapped): void {
    const { name, args } = call;
    found.hidesExit ||= /^g?find$/.test(name);
    const { length: scripts } = found.scripts;
    if (name === "find" || name === "gfind") return runFind(call, found);
    if (name === "eval") {
        runText(args, "eval", found);
    } else if (name === "trap" && args.length > 1) {
        runText(args.slice(0, 1), "trap", found);
    } else if (name === "su") {
        found.facts.push(other("as root"), needs("It needs more privileges"));
        found.scripts.push(argumentsOf(args, "cs").value("c", "command") ?? "");
    } else if (name === "script" || name === "hyperfine") {
        const { value, operands } = argumentsOf(args, "cwmrsp");
        const command = name === "script" ? [value("c", "command") ?? ""] : operands.map(textOf);
        found.scripts.push(...command);
    } else if (name === "git") {
        runGitScript(args, found);
    } else if (SHELLS.has(name)) {
        runText(scriptOf(args), name, found);
    }
    if (found.scripts.length > scripts) {
        found.hidesExit ||= !PLAIN_SHELL.test([name, ...args.slice(0, -1).map(textOf)].join(" "));
    }
    if (isInterpreter(name)) {
        const isPiped = call.input === "download" || call.input === "text";
        if (isPiped && readsInput(args)) {
            const isDownload = call.input === "download";
            found.facts.push(
                other(isDownload ? "downloads and runs" : "runs what is piped into it")
            );
        }
        const module = name === "python" ? args.findIndex(({ text }) => text === "-m") : -1;
        if (module >= 0 && args[module + 1] !== undefined) {
            const inner = unwrap(args.slice(module + 1), call);
            found.calls.push(...inner.calls);
            found.facts.push(...inner.facts);
            found.paths.push(...inner.paths);
            found.hidesExit ||= inner.hidesExit;
            return;
        }
    }
    found.calls.push(call);
}

function textOf({ text }: Word): string {
    return text;
}

/** Text that a shell reads as a command line. */
function runText(words: readonly Word[], name: string, found: Unwrapped): void {
    const hidden = words.find(({ kind }) => kind === "unknown");
    if (hidden) found.facts.push(atRunTime(`passes ${name} a command`, hidden.shown));
    else found.scripts.push(words.map(textOf).join(" "));
}

/** `git rebase --exec CMD`, `git submodule foreach CMD`, `git bisect run CMD`. */
function runGitScript(args: readonly Word[], found: Unwrapped): void {
    const at = args.findIndex(({ text }) => /^(?:foreach|--exec|-x|--tree-filter)$/.test(text));
    const bisect = args.findIndex(
        ({ text }, index) => text === "run" && args[index - 1]?.text === "bisect"
    );
    const begin = Math.max(at, bisect);
    if (begin < 0) return;
    const words = args
        .slice(begin + 1)
        .filter(({ text }) => !/^--?(?:recursive|quiet|q)$/.test(text));
    if (bisect >= 0) found.hidesExit = true;
    const isWhole = bisect >= 0 || args[begin]?.text === "foreach";
    runText(isWhole ? words : words.slice(0, 1), "git", found);
}

/** The argument of `-c`, also as `-lc` or after `-o pipefail -c`. */
function scriptOf(args: readonly Word[]): readonly Word[] {
    const at = args.findIndex(({ text }) => /^-[^\Wc]*c\w*$/.test(text));
    return at < 0 ? [] : args.slice(at + 1, at + 2);
}

export function isInterpreter(name: string): boolean {
    return INTERPRETERS.has(name);
}

/** Whether it runs its stdin, rather than a file or text given as an argument. */
export function readsInput(args: readonly Word[]): boolean {
    if (args.some(({ text }) => text === "-" || /^-\w*s$/.test(text))) return true;
    return args.every(({ text, kind }) => kind === "literal" && /^-(?!\w*[cempr])/.test(text));
}

function runFind({ args, folder }: ProgramCall, found: Unwrapped): void {
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
    found.facts.push(...writeFacts({ folder }, filesOfFind(args)));
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

/** `-fprintf FILE` */
function filesOfFind(args: readonly Word[]): readonly Word[] {
    return args.filter((_, index) =>
        /^-(?:fprintf?|fprint0|fls)$/.test(args[index - 1]?.text ?? "")
    );
}
