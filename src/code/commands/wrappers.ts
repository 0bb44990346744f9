import { literal, needs, other, wordAfter, type Fact, type Word } from "./facts.js";
import { isGivenSafely } from "./shell-state.js";

/** A program that runs another one, given in its arguments. */
interface Wrapper {
    /** Short options that take a value. */
    readonly valued?: string;
    /** Options whose value is a command line, and those whose value is the folder to run in. */
    readonly script?: string;
    readonly moves?: string;
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
export const DOWNLOADS = () => [other("downloads and runs")];

/** Programs that run another one. */
export const WRAPPERS: Readonly<Record<string, Wrapper>> = {
    sudo: { valued: "ughpCTrtR", moves: "D", says: AS_ROOT, showsExit: /^(?:-[nEHu]|[\w-]+)$/ },
    doas: { valued: "uC", says: AS_ROOT },
    runuser: { valued: "ugG", says: AS_ROOT },
    pkexec: { says: AS_ROOT },
    run0: { says: AS_ROOT },
    env: { valued: "u", script: "S", moves: "C", showsExit: NONE },
    exec: { valued: "a" },
    npx: { valued: "p", script: "c", showsExit: /^(?:-y|--yes|--no|--no-install)$/ },
    bunx: { says: DOWNLOADS, showsExit: NONE },
    uvx: { says: DOWNLOADS, showsExit: NONE },
    pnpx: { says: DOWNLOADS, showsExit: NONE },
    npm: {
        valued: "w",
        script: "c",
        moves: "C",
        by: /^(?:exec|x)$/,
        showsExit: /^(?:exec|x|-y|--yes|--no|--)$/,
    },
    pnpm: { moves: "C", by: /^(?:exec|dlx)$/, showsExit: /^(?:exec|dlx|--)$/ },
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
    nsenter: { valued: "tSG" },
    choom: { valued: "np" },
    logsave: { operands: 1 },
    sg: { operands: 1 },
    xargs: { valued: "InPLdaEs", showsExit: /^(?:-0|-[nP]?\d*)$|^\d+$/ },
    parallel: { valued: "jN" },
    "systemd-run": { valued: "puE" },
    coproc: {},
    ...Object.fromEntries(
        "builtin setsid busybox entr ltrace valgrind setpriv unshare prlimit setarch linux32 linux64 i386 fakeroot dbus-run-session ssh-agent"
            .split(" ")
            .map((name) => [name, {}])
    ),
    ...Object.fromEntries(
        "command nohup chronic unbuffer cross-env xvfb-run"
            .split(" ")
            .map((name) => [name, { showsExit: /^(?:-p|-a|--)$/ }])
    ),
};

const LONG_SCRIPT = /^--(?:split-string|call)(?==|$)/;
const LONG_MOVES = /^--chdir(?==|$)/;
const LONG_VALUED = new Set([
    ...["user", "signal", "kill-after", "adjustment", "unset", "chdir", "split-string", "call"],
    ...["max-args", "max-procs", "replace-str", "jobs", "package", "with", "group"],
]);
/** Whether the exit code of a wrapper with these options is that of the program it runs. */
export function showsExit(options: readonly string[], { showsExit: known }: Wrapper): boolean {
    if (known === undefined) return false;
    return options.every((option) =>
        /^\w+=/.test(option) ? isGivenSafely(option) : known.test(option)
    );
}

interface ProgramStart {
    /** Index of the first word of the other program. */
    readonly begin: number;
    readonly scripts: readonly Word[];
    readonly folders: readonly Word[];
}

/** Where the other program begins; `undefined` if the wrapper does its own work. */
export function programStart(args: readonly Word[], wrapper: Wrapper): ProgramStart | undefined {
    const { script = "", moves = "", valued = "", operands = 0, by } = wrapper;
    const scripts: Word[] = [];
    const folders: Word[] = [];
    let isRunning = by === undefined;
    let index = 0;
    for (; index < args.length; index += 1) {
        const word = args[index] ?? literal("");
        const { text } = word;
        if (text === "--") {
            return isRunning ? { begin: index + 1 + operands, scripts, folders } : undefined;
        }
        if (text.length > 1 && text.startsWith("-")) {
            const { option, value, isSplit } = optionOf(
                word,
                args[index + 1],
                valued + script + moves
            );
            if (isSplit) index += 1;
            if (value === undefined) continue;
            if (script.includes(option) || LONG_SCRIPT.test(text)) scripts.push(value);
            if (moves.includes(option) || LONG_MOVES.test(text)) folders.push(value);
        } else if (!isRunning) {
            if (!by?.test(text)) return undefined;
            isRunning = true;
        } else if (!/^\w+=/.test(text)) {
            break;
        }
    }
    return isRunning ? { begin: index + operands, scripts, folders } : undefined;
}

/** An option with its value, attached or as the next word; of short ones the first with a value. */
function optionOf(word: Word, next: Word | undefined, valued: string) {
    const { text } = word;
    if (text.startsWith("--")) {
        const at = text.indexOf("=");
        const isSplit = LONG_VALUED.has(text.slice(2));
        return { option: text, value: at < 0 ? next : wordAfter(word, at + 1), isSplit };
    }
    const at = [...text].findIndex((letter, index) => index > 0 && valued.includes(letter));
    const isSplit = at === text.length - 1;
    const value = at < 0 || isSplit ? next : wordAfter(word, at + 1);
    return { option: text[at] ?? "none", value, isSplit };
}

function asUser(options: string): Fact {
    const [, user = "root"] = /(?:^|\s)(?:-\w*u\s*|--user[=\s])(\S+)/.exec(options) ?? [];
    return other(user === "root" ? "as root" : `as ${user}`);
}
