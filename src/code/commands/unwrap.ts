import {
    argumentsOf,
    atRunTime,
    hidden,
    literal,
    needs,
    other,
    unknown,
    writeFacts,
    type ProgramCall,
    type Fact,
    type Word,
} from "./facts.js";
import { resolveFolder } from "./git-rules.js";
import { DOWNLOADS, programStart, showsExit, WRAPPERS } from "./wrappers.js";
import { ownValue } from "../../base/fields.js";

export const SHELLS = new Set(["sh", "bash", "rbash", "zsh", "dash", "ksh", "ash", "fish"]);
const INTERPRETERS = new Set([
    ...SHELLS,
    ..."python node deno bun perl ruby php osascript pwsh".split(" "),
]);
export const DOWNLOADERS = new Set(["curl", "wget", "aria2c", "fetch", "http", "lwp-request"]);
/** No programs: the grammar misread the line. */
const RESERVED = new Set(
    "{ } [[ ]] if then else elif fi case esac for select while until do done in function".split(" ")
);
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
    given: Pick<ProgramCall, "folder" | "input">
): Unwrapped {
    let from = given;
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
        if (RESERVED.has(first.shown)) found.isComplete = false;
        // `flock FILE -c LINE`
        if (first.text === "-c" && count > 0) {
            runText(args.slice(0, 1), "a shell", found);
            return found;
        }
        const name = nameOf(first);
        const wrapper = ownValue(WRAPPERS, name);
        const start = wrapper && programStart(args, wrapper);
        if (wrapper === undefined || start === undefined) {
            runProgram({ ...from, name, args }, found);
            return found;
        }
        const { begin, scripts, folders } = start;
        for (const script of scripts) runText([script], name, found);
        for (const folder of folders) {
            from = { ...from, folder: resolveFolder(from.folder, folder) };
        }
        const options = args.slice(0, begin).map(({ text }) => text);
        found.hidesExit ||= !showsExit(options, wrapper);
        found.facts.push(...(wrapper.says?.(options.join(" ")) ?? []));
        if (name === "command" && options.some((option) => /^-[vV]/.test(option))) return found;
        if (options.some((option) => /^(?:-y|--yes|dlx)$/.test(option))) {
            found.facts.push(...DOWNLOADS());
        }
        if (name === "systemd-run") found.calls.push({ ...from, name, args });
        rest = args.slice(begin);
        if (rest.length > 0 && (name === "xargs" || name === "parallel")) {
            // `-I MARK`
            const [, mark = "{}"] = /(?:^|\n)-\w*?[Ii]\n?([^\n]+)/.exec(options.join("\n")) ?? [];
            const isPassed = ({ shown }: Word) => [mark, "{}"].some((each) => shown.includes(each));
            rest = [
                ...rest.map((word) => (isPassed(word) ? unknown(word.shown) : word)),
                unknown(`what ${name} passes`),
            ];
        }
    }
    found.isComplete = false;
    return found;
}

/** Where only administrators write. */
const SYSTEM = /^\/(?:usr\/(?:local\/)?)?bin\/[^/]+$/;

/** `/usr/bin/python3.11` is python, `npx vitest@1` vitest, and python's `-m pytest` pytest. */
function nameOf({ text }: Word): string {
    const name = text.slice(text.lastIndexOf("/") + 1);
    const [, versioned] = /^(python|pip)[\d.]*$/.exec(name) ?? [];
    const version = name.indexOf("@", 1);
    return versioned ?? (version < 0 ? name : name.slice(0, version));
}

/** A shell and its options, if it runs a script as North's own would. */
const PLAIN_SHELL = /^(?:ba|da)?sh(?: (?:-[ceulxo]+|errexit|nounset|pipefail))+$/;

function runProgram(call: ProgramCall, found: Unwrapped): void {
    const { name, args } = call;
    found.hidesExit ||= /^g?find$/.test(name);
    const { length: scripts } = found.scripts;
    if (name === "find" || name === "gfind") return runFind(call, found);
    found.scripts.push(
        ...args.flatMap(({ text, kind }) => (kind === "literal" ? optionLine(text) : []))
    );
    const given = args[0]?.text === "--" ? args.slice(1) : args;
    if (name === "alias" || name === "hash") {
        const renamed = args.find(({ text }) => text.includes("=") || text === "-p");
        if (renamed) found.facts.push(hidden(`changes what a name runs: ${renamed.shown}`));
    } else if (name === "eval") {
        runText(given, "eval", found);
    } else if (name === "trap" && given.length > 1) {
        runText(given.slice(0, 1), "trap", found);
    } else if (name === "mapfile" || name === "readarray" || name === "compgen") {
        const { value } = argumentsOf(args, "CcdnOstu");
        if (value("C") !== undefined) found.scripts.push(value("C") ?? "");
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
                hidden(isDownload ? "downloads and runs" : "runs what is piped into it")
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

/** Options that name a program to run: `--exec=LINE`, `-o ProxyCommand=LINE`, `SHELL=LINE`. */
const RUNS =
    /^-{0,2}[\w.-]*(?:exec|eval|command|cmd|filter|program|pack|pager|action|shell|rsh|editor)[= ](?:exec=)?(?=\S+\s)/i;

function optionLine(text: string): readonly string[] {
    const [option] = RUNS.exec(text) ?? [];
    return option === undefined ? [] : [text.slice(option.length)];
}

function textOf({ text }: Word): string {
    return text;
}

function runText(words: readonly Word[], name: string, found: Unwrapped): void {
    const unread = words.find(({ kind }) => kind === "unknown");
    if (unread) found.facts.push(atRunTime(`passes ${name} a command`, unread.shown));
    else found.scripts.push(words.map(textOf).join(" "));
}

/** `git rebase --exec CMD`, `git submodule foreach CMD`, `git bisect run CMD`. */
function runGitScript(args: readonly Word[], found: Unwrapped): void {
    const at = args.findIndex(({ text }) =>
        /^(?:foreach|--(?:exec|extcmd|upload-pack|receive-pack|(?:tree|index|env|msg)-filter)|-x|-u)$/.test(
            text
        )
    );
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

/** The first argument after `-c`, also of `-lc`, `-o pipefail -c` and `-c -e`. */
function scriptOf(args: readonly Word[]): readonly Word[] {
    const at = args.findIndex(({ text }) => /^-[^\Wc]*c\w*$/.test(text));
    return at < 0 ? [] : argumentsOf(args.slice(at + 1), "oO").operands.slice(0, 1);
}

export function isInterpreter(name: string): boolean {
    return INTERPRETERS.has(name);
}

/** Whether it runs its stdin, rather than a file or text given as an argument. */
export function readsInput(args: readonly Word[]): boolean {
    if (args.some(({ text }) => /^(?:-|-\w*s|\/dev\/stdin)$/.test(text))) return true;
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
