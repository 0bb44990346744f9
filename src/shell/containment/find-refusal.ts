import path from "node:path";
import { resolveRealPath } from "../../base/paths.js";
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
    /** Base for relative names. */
    readonly folder: string;
    readonly home: string | undefined;
    /** Returns the display name of a real path if it is hidden. */
    nameHidden(place: string): string | undefined;
}

/** Characters to examine at the end of each output. */
const MAX_EXAMINED = 20_000;

/** Max words to look up. */
const MAX_NAMES = 200;
const SEPARATORS = /[\s'"`;|&<>()=,]+|:(?=\s|$)/;

/** Error texts of programs that do not use the system's messages. */
const READ_ONLY = ["Read-only file system", "EROFS", "Errno 30", "os error 30"];
const DENIED = ["Permission denied", "EACCES", "Errno 13", "os error 13"];
const MISSING = ["No such file or directory", "ENOENT", "Errno 2]", "os error 2)"];

/**
 * Finds what containment kept a command from doing. Its effects speak for themselves. Failed
 * attempts leave traces, which count only if the command failed: network counters, links in place
 * of sockets, and names of hidden files in the command or beside an error. A refused write
 * elsewhere shows up only in the error text.
 */
export function findRefusal(traces: Traces): Refusal | undefined {
    if (traces.effects.refusal) return traces.effects.refusal;
    const { outcome, counters, socket, words } = traces;
    const printed = `${outcome.stdout.slice(-MAX_EXAMINED)}\n${outcome.stderr.slice(-MAX_EXAMINED)}`;
    // EOVERFLOW: the file's owner is not mapped in the namespace; files have no other cause for it.
    if (/Value too large for defined data type|EOVERFLOW/.test(printed)) {
        return { what: "rights", text: "to change files of another user or group" };
    }
    if (outcome.exitCode === 0) return undefined;
    if (triedNetwork(counters)) {
        const address = addressIn(printed);
        // The address is what it printed; that it tried some address is not.
        return { what: "network", text: `the network${address ? `: it says ${address}` : ""}` };
    }
    if (socket !== undefined) return { what: "outside", text: `the service at ${socket}` };
    const lines = printed.split("\n");
    const hidden = hiddenIn(traces, lines);
    if (hidden !== undefined) return { what: "hidden-file", text: `${hidden}, which is hidden` };
    if (/\bsudo:|must be run as root|are you root\?/i.test(printed)) {
        return { what: "rights", text: "more rights, it says" };
    }
    const readOnly = lines.find((line) => mentions(line, READ_ONLY, words.readOnly));
    if (readOnly === undefined) return undefined;
    // The first path is the shell's own.
    const places = [...readOnly.matchAll(/(?:^|[\s'":])(\/[^\s'":]+)/g)].map(([, name]) => name);
    const place = places.at(-1) ?? "outside the project";
    return { what: "outside", text: `to write ${place}, it says` };
}

function hiddenIn(
    { command, words, folder, home = "", nameHidden }: Traces,
    lines: readonly string[]
) {
    const failures = lines.filter(
        (line) => mentions(line, DENIED, words.denied) || mentions(line, MISSING, words.missing)
    );
    for (const text of [command, failures.join("\n")]) {
        for (const word of text.split(SEPARATORS, MAX_NAMES)) {
            const name = word.replace(/^(?:~|\$HOME|\$\{HOME\})(?=\/|$)/, home);
            // Also through a link in the project.
            const place = name === "" ? undefined : resolveRealPath(path.resolve(folder, name));
            const hidden = place && nameHidden(place);
            if (hidden !== undefined) return hidden;
        }
    }
    return undefined;
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
