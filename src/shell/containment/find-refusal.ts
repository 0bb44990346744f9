import path from "node:path";
import { realPlace } from "../../base/places.js";
import type { ShellOutcome } from "../../plugin/shell.js";
import type { Refusal } from "./containment.js";
import type { Effects } from "./effects/read-effects.js";
import type { RefusalWords } from "./start-files.js";

export interface Traces {
    readonly outcome: ShellOutcome;
    readonly effects: Effects;
    readonly command: string;
    /** `/proc/net/snmp` and `snmp6` of the run's own network. */
    readonly counters: string;
    /** A socket of the machine that was looked for. */
    readonly socket?: string | undefined;
    readonly words: RefusalWords;
    /** Relative names start there. */
    readonly folder: string;
    readonly home: string | undefined;
    /** How a real place is called, where it is hidden. */
    nameHidden(place: string): string | undefined;
}

/** What is said of a failure in the last part of an output; more is not looked at. */
const LOOKED_AT = 20_000;

/** More words of a command are not looked up. */
const MOST_NAMES = 200;
const SEPARATORS = /[\s'"`;|&<>()=,]+|:(?=\s|$)/;

/** How programs name an error that do not take its words from the system. */
const READ_ONLY = ["Read-only file system", "EROFS", "Errno 30", "os error 30"];
const DENIED = ["Permission denied", "EACCES", "Errno 13", "os error 13"];
const MISSING = ["No such file or directory", "ENOENT", "Errno 2]", "os error 2)"];

/**
 * What kept a command from doing what it wanted. What it changed tells by itself. Of what it only tried
 * there are traces, which count where it failed: the network's counters, links in place of sockets, and
 * names of what is hidden, in the command or beside an error. Nothing but its words tells of a write
 * outside that was refused.
 */
export function findRefusal(traces: Traces): Refusal | undefined {
    if (traces.effects.refusal) return traces.effects.refusal;
    const { outcome, counters, socket, words } = traces;
    const printed = `${outcome.stdout.slice(-LOOKED_AT)}\n${outcome.stderr.slice(-LOOKED_AT)}`;
    // The kernel's word for an owner whom the namespace does not know; nothing else says it of files.
    if (/Value too large for defined data type|EOVERFLOW/.test(printed)) {
        return { what: "rights", text: "to change files of another user or group" };
    }
    if (outcome.exitCode === 0) return undefined;
    if (triedNetwork(counters)) {
        const address = addressIn(printed);
        return { what: "network", text: `the network${address ? `: ${address}` : ""}` };
    }
    if (socket !== undefined) return { what: "outside", text: `the service at ${socket}` };
    const lines = printed.split("\n");
    const hidden = hiddenIn(traces, lines);
    if (hidden !== undefined) return { what: "hidden-file", text: `${hidden}, which is hidden` };
    if (/\bsudo:|must be run as root|are you root\?/i.test(printed)) {
        return { what: "rights", text: "more rights" };
    }
    const readOnly = lines.find((line) => mentions(line, READ_ONLY, words.readOnly));
    if (readOnly === undefined) return undefined;
    // The shell names itself first.
    const places = [...readOnly.matchAll(/(?:^|[\s'":])(\/[^\s'":]+)/g)].map(([, name]) => name);
    const place = places.at(-1) ?? "outside of the project";
    return { what: "outside", text: `to write ${place}` };
}

function hiddenIn(
    { command, words, folder, home = "", nameHidden }: Traces,
    lines: readonly string[]
) {
    const failures = lines.filter(
        (line) => mentions(line, DENIED, words.denied) || mentions(line, MISSING, words.missing)
    );
    for (const text of [command, failures.join("\n")]) {
        for (const word of text.split(SEPARATORS, MOST_NAMES)) {
            const name = word.replace(/^(?:~|\$HOME|\$\{HOME\})(?=\/|$)/, home);
            // Also by way of a link of the project.
            const place = name === "" ? undefined : realPlace(path.resolve(folder, name));
            const hidden = place && nameHidden(place);
            if (hidden !== undefined) return hidden;
        }
    }
    return undefined;
}

/** Also in the language of the command. */
function mentions(line: string, codes: readonly string[], words: string | undefined): boolean {
    const lower = line.toLowerCase();
    return [...codes, words ?? ""].some((each) => each && lower.includes(each.toLowerCase()));
}

/** Whether the network was used in a way that only a real one can answer. */
function triedNetwork(counters: string): boolean {
    const attempts = [
        // No way there, which is all addresses but its own.
        countOf(counters, "Ip", "OutNoRoutes"),
        // Its own, and nobody listens: a name server, a database of the machine.
        countOf(counters, "Udp", "NoPorts"),
        countOf(counters, "Tcp", "AttemptFails"),
        // The same for IPv6, a line each.
        Number(/^Ip6OutNoRoutes\s+(\d+)/m.exec(counters)?.[1] ?? 0),
        Number(/^Udp6NoPorts\s+(\d+)/m.exec(counters)?.[1] ?? 0),
    ];
    return attempts.some((count) => count > 0);
}

/** Two lines for each protocol, the names and the numbers. */
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
