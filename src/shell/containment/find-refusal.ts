import path from "node:path";
import { isInside, resolveRealPath } from "../../base/paths.js";
import type { ShellOutcome } from "../../plugin/shell.js";
import type { Refusal } from "./containment.js";
import type { Effects } from "./effects/read-effects.js";
import type { RefusalWords } from "./start-files.js";

export interface Traces {
    readonly outcome: ShellOutcome;
    readonly effects: Effects;
    readonly command: string;
    /** `/proc/net/snmp` and `snmp6` of the run's own network namespace. */
    readonly counters: string;
    /** A host socket the command tried to use. */
    readonly socket?: string | undefined;
    readonly words: RefusalWords;
    /** Base for the paths of effects. */
    readonly root: string;
    /** Base for relative names. */
    readonly folder: string;
    readonly home: string | undefined;
    /** Returns the display name of a real path if it is hidden. */
    nameHidden(place: string): string | undefined;
}

/** What containment kept a command from doing. */
export interface Refused {
    /** With evidence that this is why the command failed. */
    readonly refusal?: Refusal;
    /** For the model: what it tried without saying so. */
    readonly notes: readonly string[];
}

/** Characters to examine at the end of each output. */
const MAX_EXAMINED = 20_000;

/** Max words to look up, and the length of the longest path. */
const [MAX_NAMES, MAX_PATH] = [200, 4_096];
const SEPARATORS = /[\s'"`;|&<>()=,]+|:(?=\s|$)/;

/** Error texts of programs that do not use the system's messages. */
const READ_ONLY = ["Read-only file system", "EROFS", "Errno 30", "os error 30"];
const DENIED = ["Permission denied", "EACCES", "Errno 13", "os error 13"];
const MISSING = ["No such file or directory", "ENOENT", "Errno 2]", "os error 2)"];
const OVERFLOW = ["Value too large for defined data type", "EOVERFLOW"];
const NO_CONNECTION =
    /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|E(?:NET|HOST)UNREACH|getaddrinfo|no such host|name or service not known|(?:failure|failed|error) in name resolution|could ?n[o']t (?:resolve|connect)|(?:failed|unable|cannot|can't) (?:to )?(?:connect|resolve|lookup|access)|network is (?:unreachable|down)|no route to host|connection refused/i;
const LACKS_RIGHTS = /^sudo:|must be run as root|are you root\?/i;
const JOINS_ERRORS = /2>&1|&>|\|&/;

/**
 * Finds what containment kept a command from doing. Its effects speak for themselves. Anything else
 * is a need only if the command failed and its error names the connection or file: a failing test
 * whose runner also looked for updates needs no network. Where only the command's own words say so,
 * the text ends in "it says". What it tried but did not mention becomes a note.
 */
export function findRefusal(traces: Traces): Refused {
    const { effects, outcome } = traces;
    const refusal = effects.refusal ?? (outcome.exitCode === 0 ? undefined : refusalIn(traces));
    return refusal ? { refusal, notes: [] } : { notes: unmentioned(traces) };
}

function refusalIn(traces: Traces): Refusal | undefined {
    const { outcome, command, counters, socket, words } = traces;
    const printed = [outcome.stdout, outcome.stderr].flatMap((text) =>
        text.slice(-MAX_EXAMINED).split("\n")
    );
    if (triedNetwork(counters)) {
        const failures = printed.filter((line) => NO_CONNECTION.test(line));
        const address = addressIn(failures.join("\n"));
        const text = address ? `the network: ${address}, it says` : "the network";
        if (failures.length > 0) return { what: "network", text };
    }
    if (socket !== undefined && printed.some((line) => line.includes(socket))) {
        return { what: "outside", text: `the service at ${socket}` };
    }
    const failures = printed.filter(
        (line) => mentions(line, DENIED, words.denied) || mentions(line, MISSING, words.missing)
    );
    const hidden = hiddenIn(traces, failures.join("\n"));
    if (hidden !== undefined) {
        const isTyped = hiddenIn(traces, command) === hidden;
        return {
            what: "hidden-file",
            text: `${hidden}, which is hidden${isTyped ? "" : ", it says"}`,
        };
    }
    // Files that are only shown, such as a source that handles EROFS, are no errors.
    const errors = JOINS_ERRORS.test(command) ? printed : outcome.stderr.split("\n");
    // The file's owner is not mapped in the namespace; files have no other cause for it.
    if (errors.some((line) => mentions(line, OVERFLOW, undefined))) {
        return { what: "rights", text: "to change files of another user or group, it says" };
    }
    if (errors.some((line) => LACKS_RIGHTS.test(line))) {
        return { what: "rights", text: "more rights, it says" };
    }
    const readOnly = errors.find((line) => mentions(line, READ_ONLY, words.readOnly));
    // The first path is the shell's own.
    const place = [...(readOnly ?? "").matchAll(/(?:^|[\s'":])(\/[^\s'":]+)/g)].at(-1)?.[1];
    return place === undefined
        ? undefined
        : { what: "outside", text: `to write ${place}, it says` };
}

function unmentioned(traces: Traces): readonly string[] {
    const { counters, socket, command } = traces;
    const hidden = hiddenIn(traces, command);
    return [
        ...(triedNetwork(counters)
            ? ["It tried the network, which contained commands do not have."]
            : []),
        ...(socket === undefined
            ? []
            : [`It tried the service at ${socket}, which contained commands cannot reach.`]),
        ...(hidden === undefined ? [] : [`${hidden} is hidden from contained commands.`]),
    ];
}

/** The first hidden file that a text names, also through a link in the project. */
function hiddenIn(traces: Traces, text: string): string | undefined {
    const { folder, home = "", nameHidden } = traces;
    for (const word of text.split(SEPARATORS, MAX_NAMES)) {
        const name = word.replace(/^(?:~|\$HOME|\$\{HOME\})(?=\/|$)/, home);
        const isPath = name !== "" && name.length <= MAX_PATH;
        const place = throughNewLinks(path.resolve(folder, name), traces);
        const hidden = isPath ? hiddenAt(place, nameHidden) : undefined;
        if (hidden !== undefined) return hidden;
    }
    return undefined;
}

/** Where a path leads that goes through a link the command made itself. */
function throughNewLinks(place: string, { root, effects }: Traces): string {
    for (const { path: name, type, after } of effects.changes) {
        const link = path.join(root, name);
        if (type !== "link" || after === null || !isInside(link, place)) continue;
        const target = Buffer.from(after).toString();
        return path.resolve(path.dirname(link), target, path.relative(link, place));
    }
    return place;
}

/** A file that is not there yet counts as hidden if its folder is. */
function hiddenAt(place: string, nameHidden: Traces["nameHidden"]): string | undefined {
    const real = resolveRealPath(place);
    if (real !== undefined) return nameHidden(real);
    const folder = path.dirname(place);
    const hidden = folder === place ? undefined : hiddenAt(folder, nameHidden);
    return hidden && path.join(hidden, path.basename(place));
}

/** Also matches messages in the command's locale. */
function mentions(line: string, codes: readonly string[], words: string | undefined): boolean {
    const lower = line.toLowerCase();
    return [...codes, words ?? ""].some((each) => each && lower.includes(each.toLowerCase()));
}

/** Whether the command needed a real network. */
function triedNetwork(counters: string): boolean {
    const attempts = [
        // No route: any address but its own.
        countOf(counters, "Ip", "OutNoRoutes"),
        // Its own address, but nobody listens: a name server or database on the host.
        countOf(counters, "Udp", "NoPorts"),
        countOf(counters, "Tcp", "AttemptFails"),
        // The same for IPv6, one counter per line.
        Number(/^Ip6OutNoRoutes\s+(\d+)/m.exec(counters)?.[1] ?? 0),
        Number(/^Udp6NoPorts\s+(\d+)/m.exec(counters)?.[1] ?? 0),
    ];
    return attempts.some((count) => count > 0);
}

/** Each protocol has two lines: names, then numbers. */
function countOf(counters: string, protocol: string, name: string): number {
    const [names, numbers] = counters
        .split("\n")
        .filter((line) => line.startsWith(`${protocol}: `))
        .map((line) => line.split(" "));
    return Number(numbers?.[names?.indexOf(name) ?? -1] ?? 0);
}

const ADDRESSES = [
    /getaddrinfo \w+ ([\w.-]+)(?::(\d+))?/,
    /Could not resolve host: ([\w.-]+)()/i,
    /lookup ([\w.-]+)()/,
    /connect \w+ ([\w.:]+?):(\d+)/,
    /(?:Failed to connect to|connect to host|connect to address) ([\w.-]+) port (\d+)/i,
    /https?:\/\/([\w.-]+)(?::(\d+))?/,
];

function addressIn(printed: string): string | undefined {
    for (const pattern of ADDRESSES) {
        const [, host, port] = pattern.exec(printed) ?? [];
        if (host) return port ? `${host}:${port}` : host;
    }
    return undefined;
}
