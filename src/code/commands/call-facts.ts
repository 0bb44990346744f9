import {
    argumentsOf,
    needs,
    network,
    other,
    wordAfter,
    writeFacts,
    type ProgramCall,
    type Fact,
    type Word,
} from "./facts.js";
import { FILE_RULES } from "./file-rules.js";
import { gitFacts } from "./git-rules.js";
import {
    DATABASE,
    DISK,
    INSTALLS,
    LATER,
    LONG_VALUED,
    PROCESSES,
    ruleFacts,
    VALUED,
} from "./program-rules.js";
import { ownValue } from "../../base/fields.js";

/** Programs that speak HTTP, through a proxy too. */
const HTTP_CLIENTS = /^(?:curl|wget|aria2c|https?|xh)$/;
/** Programs that send what they are given to another machine, or look it up there. */
const CLIENTS = new Set(
    "curl wget aria2c http https xh nc ncat netcat socat dig nslookup host ping".split(" ")
);
const LOOPBACK = /^(?:\w+:\/\/)?(?:localhost|127(?:\.\d+){3}|\[?::1\]?|0\.0\.0\.0)(?=[:/]|$)/;
/** Programs whose `-o` does not name an output file. */
const NOT_WRITING = /^(?:[ef]?grep|rg|ps|ls|find|ssh|scp|lsof|mount|set|bash|sh|zsh)$/;
const OUTPUT_OPTIONS =
    /^--?(?:o|out|outfile|out-?dir|output(?:-?(?:dir|file|directory))?|target-dir|target|destination|dest|prefix|pack-destination|index-file|log-file|dump-header|cookie-jar|trace(?:-ascii)?|stderr)$/i;
/** `-oFILE` */
const ATTACHED = /^-o(?=[~/]|\.\.)/;

/** Options that only show a preview. */
const HARMLESS = new Set(["--dry-run", "--dry-run=client"]);
const HELP = new Set(["--help", "--version", "-h", "-V"]);
const STATEMENTS = /\b(?:drop|delete\s+from|truncate|flushall|flushdb)\b/i;

export function factsOf(call: ProgramCall): readonly Fact[] {
    if (call.name === "git") return isPreview(call.args) ? [] : gitFacts(call);
    const rule = ownValue(FILE_RULES, call.name);
    const written = rule?.(call) ?? [];
    if (isPreview(call.args)) return written;
    return [
        ...written,
        ...ruleFacts(call),
        ...ownFacts(call),
        ...clientFacts(call),
        ...outputFacts(call),
    ];
}

/** `-h` is a host elsewhere, so it counts only as the last of few words. */
function isPreview(args: readonly Word[]): boolean {
    const last = args.at(-1)?.text ?? "";
    if (args.length <= 2 && HELP.has(last)) return true;
    const end = args.findIndex(({ text }) => text === "--");
    return args.slice(0, end < 0 ? args.length : end).some(({ text }) => HARMLESS.has(text));
}

/** Programs whose arguments no pattern describes. */
function ownFacts(call: ProgramCall): readonly Fact[] {
    const { name, args } = call;
    const { has, operands } = argumentsOf(args);
    const first = operands[0]?.text ?? "";
    if (name.startsWith("mkfs.")) return [DISK];
    switch (name) {
        case "kill":
            return signalFacts(args);
        case "crontab": {
            const { has: hasOption } = argumentsOf(args, "u");
            if (hasOption("l")) return [];
            return [hasOption("r") ? other("deletes the crontab") : LATER];
        }
        case "ssh":
            return remoteFacts(call);
        case "rsync":
            return operands.some(({ text }) => text.includes(":"))
                ? [needs("rsync needs the network")]
                : [];
        case "docker":
        case "podman":
            return mountFacts(call);
        case "npm":
        case "pnpm":
        case "yarn":
            return has("g", "global") && /^(?:i|install|add|up.*|un.*|rm|remove|link)$/.test(first)
                ? [INSTALLS]
                : [];
        case "pip":
            return has("user", "break-system-packages") ? [INSTALLS] : [];
        case "awk":
        case "gawk":
        case "mawk":
            return hasEffects(first.slice(0, 5_000))
                ? [other("runs programs or writes files from awk")]
                : [];
        case "psql":
        case "mysql":
        case "mariadb":
        case "sqlite3":
        case "redis-cli":
        case "mongosh":
        case "mongo":
        case "clickhouse-client":
            return args.some(({ text }) => STATEMENTS.test(text.slice(0, 10_000)))
                ? [DATABASE]
                : [];
        default:
            return [];
    }
}

/** Whether a program of awk runs others, or prints into files. */
function hasEffects(awk: string): boolean {
    const statements = awk.replace(/"(?:\\[^]|[^"\\])*"/g, '""').split(/[;{}\n]/);
    return statements.some(
        (each) =>
            /\bsystem\s*\(|\|\s*(?:&\s*)?(?:"|getline)/.test(each) ||
            (/\bprintf?\b/.test(each) && /[>|]/.test(each))
    );
}

/** `kill -0` only probes, `kill -l` only lists; `%1` and `$!` are the line's own jobs. */
function signalFacts(args: readonly Word[]): readonly Fact[] {
    if (args.some(({ text }) => /^-(?:0|l|L)$|^--(?:list|table)$/.test(text))) return [];
    const targets = args.filter(({ text }, index) => index > 0 || !text.startsWith("-"));
    const foreign = targets.filter(({ shown }) => !/^(?:%.*|"?\$!"?)$/.test(shown));
    const isKnown = foreign.some(({ kind }) => kind === "literal");
    if (foreign.length === 0) return [];
    return isKnown ? [PROCESSES, needs("kill acts on other processes")] : [PROCESSES];
}

function remoteFacts({ args, input }: ProgramCall): readonly Fact[] {
    const valued = /^-[bcDEeFIiJLlmOopQRSWw]$/;
    const operands = args
        .map(({ shown }) => shown)
        .filter((text, index, all) => !text.startsWith("-") && !valued.test(all[index - 1] ?? ""));
    const [host] = operands;
    if (host === undefined || (operands.length < 2 && input === undefined)) return [];
    return [other(`runs a command on ${host}`)];
}

/** What reaches the network, and what is sent there. */
function clientFacts({ name, args, input }: ProgramCall): readonly Fact[] {
    if (!CLIENTS.has(name)) return [];
    const isConnection = /^(?:nc|ncat|netcat|socat)$/.test(name);
    const valued = isConnection ? "pswqXx" : name === "wget" ? "OoPUet" : "oXdFHuATbceKmUwxrEQyYz";
    const { has, operands } = argumentsOf(args, valued);
    const isLocal = operands.some(({ text }) => LOOPBACK.test(text));
    const isListening = isConnection && has("l", "z");
    const facts: Fact[] = [];
    const isRemote = operands.some(({ kind }) => kind === "literal");
    if (isRemote && !isLocal && !isListening) {
        facts.push(HTTP_CLIENTS.test(name) ? network(name) : needs(`${name} needs the network`));
    }
    if (input !== undefined || (isConnection && !isListening)) {
        facts.push(other(`sends data to ${operands[0]?.shown ?? "another machine"}`));
    }
    const hidden = args.find(({ kind }) => kind === "unknown");
    if (hidden && !isLocal) {
        facts.push(other(`sends what is known only at run time: ${hidden.shown}`));
    }
    return facts;
}

/** What an option says is written, for any program. */
function outputFacts({ name, args, folder }: ProgramCall): readonly Fact[] {
    if (NOT_WRITING.test(name)) return [];
    const words = args.flatMap((word, index) => {
        if (OUTPUT_OPTIONS.test(word.text)) return args.slice(index + 1, index + 2);
        const [option = ""] = word.text.split("=", 1);
        if (ATTACHED.test(word.text)) return [wordAfter(word, "-o".length)];
        const isAttached = option !== word.text && OUTPUT_OPTIONS.test(option);
        return isAttached ? [wordAfter(word, option.length + 1)] : [];
    });
    const known = words.filter(
        ({ kind, text }) => kind === "literal" && /^(?:[~/]|\.\.)/.test(text)
    );
    return writeFacts({ folder }, known);
}

/** Folders of the machine that a container may write, and its rights there. */
function mountFacts({ args, folder }: ProgramCall): readonly Fact[] {
    const { operands } = argumentsOf(args, VALUED, LONG_VALUED);
    if (!operands.slice(0, 2).some(({ text }) => /^(?:run|create|exec)$/.test(text))) return [];
    const sources = args.flatMap((word, index) => {
        const previous = args[index - 1]?.text ?? "";
        if (/^(?:-v|--volume)$/.test(previous)) return [word];
        const [option] = /^(?:-v=?|--volume=)(?=.)/.exec(word.text) ?? [];
        if (option !== undefined) return [wordAfter(word, option.length)];
        const isMount = previous === "--mount" || word.text.startsWith("--mount=");
        const at = isMount ? word.text.search(/(?:source|src)=/) : -1;
        return at < 0 ? [] : [wordAfter(word, word.text.indexOf("=", at) + 1)];
    });
    const mounted = sources
        .filter(({ text }) => !/:ro\b|,(?:ro|readonly)\b/.test(text))
        .map((word) => ({ ...word, text: word.text.split(/[:,]/, 1)[0] ?? "" }))
        .filter(({ text, kind }) => kind === "unknown" || /^[~/.]/.test(text));
    const takesOver = args.some(({ text }) =>
        /^--(?:privileged|device|cap-add|security-opt|(?:pid|ipc|uts|userns)=host)/.test(text)
    );
    return [
        ...writeFacts({ folder }, mounted),
        ...(takesOver ? [other("gives a container rights on the machine")] : []),
    ];
}
