/** What a private network counts when a command tries to leave it. */
interface NetworkTraces {
    /** Beyond this machine, or a name server on it. */
    readonly beyond: number;
    /** A port of its own loopback where nothing listens. */
    readonly loopback: number;
}

/** Reads `/proc/net/snmp`, followed by `snmp6`. */
export function tracesIn(counters: string): NetworkTraces {
    const beyond = [
        // No route: any address but its own.
        countOf(counters, "Ip", "OutNoRoutes"),
        countOf(counters, "Udp", "NoPorts"),
        // The same for IPv6, one counter per line.
        Number(/^Ip6OutNoRoutes\s+(\d+)/m.exec(counters)?.[1] ?? 0),
        Number(/^Udp6NoPorts\s+(\d+)/m.exec(counters)?.[1] ?? 0),
    ];
    return {
        beyond: beyond.reduce((sum, count) => sum + count, 0),
        loopback: countOf(counters, "Tcp", "AttemptFails"),
    };
}

/** Each protocol has two lines: names, then numbers. */
function countOf(counters: string, protocol: string, name: string): number {
    const [names, numbers] = counters
        .split("\n")
        .filter((line) => line.startsWith(`${protocol}: `))
        .map((line) => line.split(" "));
    return Number(numbers?.[names?.indexOf(name) ?? -1] ?? 0);
}

/** The system's words for a failed lookup or connection; not where a test quotes them. */
const SYSTEM_WORDS =
    /(?<!["'`])(?:\bENOTFOUND\b|\bEAI_AGAIN\b|\bE(?:NET|HOST)UNREACH\b|getaddrinfo\b|no such host\b|name or service not known|(?:failure|failed|error) in name resolution|temporary failure resolving|network is (?:unreachable|down)|no route to host|UnknownHostException|\bdial tcp: lookup\b)/i;

/** Words of programs, which also say this of modules and files, so that a host must follow. */
const PROGRAM_WORDS =
    /(?:could ?n[o']t|unable to|cannot|can't|fail(?:ed|ure)? to|failed) (?:be )?(?:connect|resolve|look ?up|access|reach|fetch|download|translate)/i;

const LABEL = "[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?";
const NAME = `${LABEL}(?:\\.${LABEL})+`;

/** Where an error names its host, and maybe its port. */
const HOSTS = [
    new RegExp(`https?://(?:[^/@\\s]*@)?(${NAME})(?::(\\d+))?`, "i"),
    new RegExp(`getaddrinfo \\w+ (${NAME})(?::(\\d+))?`, "i"),
    new RegExp(`/dev/(?:tcp|udp)/(${NAME}|[\\da-f:]+)/(\\d+)`, "i"),
    new RegExp(`\\blookup (${NAME})()`, "i"),
    new RegExp(`connect \\w+ (${NAME}|[\\da-f:]*:[\\da-f]+):(\\d+)`, "i"),
    new RegExp(
        `(?:host|hostname|host name|host address|to|resolving):? ["'\`]?(${NAME})["'\`]?(?: port (\\d+)|:(\\d+))?`,
        "i"
    ),
    new RegExp(`UnknownHostException:? (${NAME})()`),
    new RegExp(`(?:^|: )(${NAME}): (?:temporary|name or)()`, "i"),
];

const OWN_MACHINE = /^(?:localhost|127(?:\.\d+){3}|0\.0\.0\.0|::1?)$|\.localhost$/i;
/** Names that lead nowhere by definition. */
const NOWHERE = /\.invalid$/i;

interface FailedConnection {
    /** As the error names it; absent if it names none. */
    readonly host?: string;
    readonly port?: string;
}

/** What the errors say of another machine that could not be reached. */
export function failedConnection(errors: readonly string[]): FailedConnection | undefined {
    let isUnnamed = false;
    for (const line of errors) {
        const isSystem = SYSTEM_WORDS.test(line);
        if (!isSystem && !PROGRAM_WORDS.test(line)) continue;
        const named = hostIn(line);
        if (named === undefined) isUnnamed ||= isSystem;
        else if (!OWN_MACHINE.test(named.host) && !NOWHERE.test(named.host)) return named;
    }
    return isUnnamed ? {} : undefined;
}

const REFUSED = /ECONNREFUSED|connection refused|couldn't connect|failed to connect/i;
const OWN_PORT =
    /(?:localhost|127(?:\.\d+){3}|\[?::1\]?)["')]*(?:[:/ ]| \(127(?:\.\d+){3}\))*,? ?(?:port )?(\d{2,5})/i;

/** The port of this machine at which nothing listened, as the errors name it. */
export function refusedPort(errors: readonly string[]): string | undefined {
    const line = errors.find((each) => REFUSED.test(each) && OWN_PORT.test(each)) ?? "";
    return ownPortIn(line);
}

/** The port of this machine that a text names. */
export function ownPortIn(text: string): string | undefined {
    return OWN_PORT.exec(text)?.[1];
}

function hostIn(line: string) {
    for (const pattern of HOSTS) {
        const [, host, port, other] = pattern.exec(line) ?? [];
        if (host) return { host, ...((port || other) && { port: port || other }) };
    }
    return undefined;
}
