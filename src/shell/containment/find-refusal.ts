import type { ShellOutcome } from "../../plugin/shell.js";
import type { Refusal } from "./containment.js";
import type { Effects } from "./effects/read-effects.js";

export interface Traces {
    readonly outcome: ShellOutcome;
    /** `/proc/net/snmp` of the run's own network. */
    readonly counters: string;
    readonly effects: Effects;
    readonly hiddenFiles: readonly string[];
}

/** What is said of a failure in the last part of an output; more is not looked at. */
const LOOKED_AT = 20_000;

/**
 * What kept a command from doing what it wanted. What it changed tells by itself; of what it only
 * tried there are traces: the network's counters, and else the error that it printed. Those count
 * where it failed.
 */
export function findRefusal(traces: Traces): Refusal | undefined {
    if (traces.effects.refusal) return traces.effects.refusal;
    const { outcome, counters, hiddenFiles } = traces;
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
    const hidden = hiddenFiles.find((file) => deniedAt(printed, file));
    if (hidden !== undefined) {
        return { what: "hidden-file", text: `${hidden}, which is hidden` };
    }
    if (/docker\.sock|Cannot connect to the Docker daemon|\.sock\b.*No such file/.test(printed)) {
        return { what: "outside", text: "a service of this machine" };
    }
    if (/\bsudo:|must be run as root|are you root\?/i.test(printed)) {
        return { what: "rights", text: "more rights" };
    }
    const readOnly = /(?:^|[\s'":])(\/[^\s'":]+)['"]?: Read-only file system/m.exec(printed);
    if (readOnly || /Read-only file system|EROFS/.test(printed)) {
        const place = readOnly?.[1] ?? "outside of the project";
        return { what: "outside", text: `to write ${place}` };
    }
    return undefined;
}

/** Whether the network was used in a way that only a real one can answer. */
export function triedNetwork(counters: string): boolean {
    const attempts = [
        // No way there, which is all addresses but its own.
        countOf(counters, "Ip", "OutNoRoutes"),
        // Its own, and nobody listens: a name server, a database of the machine.
        countOf(counters, "Udp", "NoPorts"),
        countOf(counters, "Tcp", "AttemptFails"),
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

function deniedAt(printed: string, file: string): boolean {
    return printed.split("\n").some((line) => line.includes(file) && /denied|EACCES/i.test(line));
}
