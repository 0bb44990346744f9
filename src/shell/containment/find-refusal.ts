import { constants } from "node:fs";
import path from "node:path";
import type { HostTraffic } from "../../base/host-traffic.js";
import { canAccess, isInside, resolveRealPath } from "../../base/paths.js";
import type { ShellOutcome } from "../../plugin/shell.js";
import type { Refusal } from "./containment.js";
import { failedConnection, ownPortIn, refusedPort, tracesIn } from "./network-evidence.js";
import { isOthers, isRoot, mayGive, mayWrite } from "./file-access.js";
import type { Effects } from "./effects/read-effects.js";
import { soughtPlaces } from "./sought-places.js";
import type { RefusalWords } from "./start-files.js";

export interface Traces {
    readonly outcome: ShellOutcome;
    readonly effects: Omit<Effects, "outputs">;
    readonly command: string;
    /** `/proc/net/snmp` and `snmp6` of the run's own network namespace; only its words count without. */
    readonly counters: string | undefined;
    /** A host socket the command tried to use. */
    readonly socket?: string | undefined;
    /** What it exchanged with hosts, if it had a network. */
    readonly traffic?: readonly HostTraffic[] | undefined;
    readonly words: RefusalWords;
    /** Base for the paths of effects. */
    readonly root: string;
    /** Base for relative names. */
    readonly folder: string;
    readonly variables: ReadonlyMap<string, string>;
    /** Where it ended, if it says so. */
    readonly endedIn?: string | undefined;
    readonly home: string | undefined;
    /** Describes a real path if it is hidden; `named` leads to it, maybe through links. */
    nameHidden(path: string, named: string): HiddenPath | undefined;
}

export interface HiddenPath {
    /** As a person names it. */
    readonly name: string;
    /** The user can show it with `containment.show`. */
    readonly couldShow?: boolean;
}

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
const SEPARATORS = /[\s\p{Quotation_Mark}`;|&<>()=,]+|:(?=\s|$)/u;
const QUOTED_NAME = /[\p{Quotation_Mark}`]([^\p{Quotation_Mark}`]+)[\p{Quotation_Mark}`]/gu;

/** Error texts of programs that do not use the system's messages. */
const READ_ONLY = ["Read-only file system", "EROFS", "Errno 30", "os error 30"];
const DENIED = ["Permission denied", "EACCES", "Errno 13", "os error 13"];
const MISSING = [
    ...["No such file or directory", "ENOENT", "Errno 2]", "os error 2)"],
    ...["not found", "unable to normalize alternate object path"],
];
const OVERFLOW = ["Value too large for defined data type"];
const SUDO = /^sudo: /i;
const NEEDS_ROOT = /^(?:[^\s:]+:|this\b|you\b).*(?:must be run as root|are you root\?)/i;
/** No other user is mapped in the namespace. */
const BECOMES_OTHER =
    /\b(?:setgroups|set(?:e|res)?[ug]id)\b.*(?:not permitted|invalid argument|EPERM|EINVAL)/i;
/** Nor can a file be given to one. */
const GIVES =
    /\b(?:(?:chang|preserv)\w* (?:the )?(?:group|owner)|[lf]?ch(?:own|grp)\b).*(?:invalid argument|EINVAL)/i;
/** The limit on namespaces inside is none. */
const SPLITS_OFF = /\b(?:namespace|unshare|clone)\b.*(?:no space left on device|ENOSPC)/i;
const LACKS_LOGIN =
    /could not read (?:username|password) for|authentication (?:failed|required)|\bE401\b|\b401 unauthorized|(?:HTTP(?: error)?|returned error:|status code) 401\b/i;
const URL_HOST = /https?:\/\/(?:[^/@\s]*@)?([^/'"\s]+?)(?::443|:80)?(?=[/'"\s]|$)/g;
/** It knows no proxy, and its keys are hidden. */
const SSH = /^ssh: (?:could not resolve hostname|connect to host) ([^\s:]+)/i;
const JOINS_ERRORS = /2>&1|&>|\|&/;
/** Maven and sbt log to stdout, in colours or without. */
const LOGGED = /^(?:\u001b\[[\d;]*m|\[)*error(?:\u001b\[[\d;]*m)*\] /i;

/** A test's title or result, a quoted line of source, the two sides of an assertion. */
const QUOTED =
    /^\s*(?:[✓✔√✕✖✗✘×●○◯❯#+-]|(?:not )?ok \d|\d+\)|(?:>\s*)?\d+\s*[|│]|(?:expected|received|actual)\b)/i;
const MOVES = /\b(?:cd|pushd|popd)\b/;
const MOVED = /\b(?:cd|pushd)\s+["']?([^\s;&|()"']+)/g;

/**
 * Finds what containment kept a command from doing. Its effects speak for themselves. Anything else
 * is a need only if the command failed, its own error names the connection or file, and a real run
 * could do it: a failing test whose runner also looked for updates needs no network. Where only the
 * command's words say so, the text ends in "it says". What it tried but did not mention becomes a note.
 */
export function findRefusal(traces: Traces): Refused {
    const { effects, outcome } = traces;
    if (effects.refusal) return { refusal: effects.refusal, notes: [] };
    const said = outcome.exitCode === 0 ? undefined : refusalIn(traces);
    return said
        ? { refusal: { ...said, isSaid: true }, notes: [] }
        : { notes: unmentioned(traces) };
}

/** Files that are only shown, such as a source that handles EROFS, are not errors. */
function errorsOf({ command, outcome: { stdout, stderr } }: Traces): readonly string[] {
    const linesOf = (text: string) => text.slice(-MAX_EXAMINED).split("\n");
    const isError = (line: string) => JOINS_ERRORS.test(command) || LOGGED.test(line);
    return [...linesOf(stdout).filter(isError), ...linesOf(stderr)].filter(
        (line) => !QUOTED.test(line)
    );
}

function refusalIn(traces: Traces): Refusal | undefined {
    const { command, counters, socket, words, traffic } = traces;
    const errors = errorsOf(traces);
    // Whoever refused a host knows why it failed.
    const isExplained = traffic?.some(({ refused }) => refused !== undefined) ?? false;
    const isTried = counters === undefined || tracesIn(counters).beyond > 0;
    const login = loginWanted(errors, traffic);
    if (login !== undefined) {
        return { what: "rights", text: `It needs a login at ${login}, it says` };
    }
    const [, server] = errors.map((line) => SSH.exec(line)).find((found) => found !== null) ?? [];
    if (server !== undefined && isTried) {
        return { what: "outside", text: `It needs SSH to ${server}, it says` };
    }
    // Git is "unable to access" files, too.
    const others = errors.filter((line) => !mentions(line, DENIED, words.denied));
    const connection = isTried && !isExplained ? failedConnection(others) : undefined;
    if (connection) {
        const { host, port } = connection;
        if (host === undefined) return { what: "network", text: "It needs the network" };
        const name = host.includes(":") ? `[${host}]` : host;
        const address = port === undefined ? name : `${name}:${port}`;
        return { what: "network", host, text: `It needs the network: ${address}, it says` };
    }
    if (socket !== undefined && errors.some((line) => line.includes(socket))) {
        return { what: "outside", text: `It needs the service at ${socket}` };
    }
    const hidden = missedIn(errors, traces);
    if (hidden !== undefined) {
        const isTyped = hiddenIn(traces, command)?.name === hidden.name;
        return {
            what: "hidden-file",
            text: `It needs ${hidden.name}, which is ${hiddenFrom(hidden)}${isTyped ? "" : ", it says"}`,
        };
    }
    const right = rightIn(errors, traces);
    if (right !== undefined) return { what: "rights", text: `It needs to ${right}, it says` };
    if (errors.some((line) => SUDO.test(line) || (isRoot() && NEEDS_ROOT.test(line)))) {
        return { what: "rights", text: "It needs more privileges, it says" };
    }
    const written = writtenOutside(errors, traces);
    return written === undefined
        ? undefined
        : { what: "outside", text: `It needs to write ${written}, it says` };
}

/** What the kernel allows this user, but nobody in a namespace that knows no other users. */
function rightIn(errors: readonly string[], traces: Traces): string | undefined {
    if (isRoot() && errors.some((line) => BECOMES_OTHER.test(line))) return "become another user";
    const owned = errors.filter((line) => mentions(line, OVERFLOW, undefined));
    const isOwned = owned.some((line) =>
        pathsIn(line.split(SEPARATORS, MAX_NAMES), traces).some(isOthers)
    );
    const isGiven = mayGive() && errors.some((line) => GIVES.test(line));
    if (isOwned || isGiven) return "change files of another user or group";
    return errors.some((line) => SPLITS_OFF.test(line))
        ? "create namespaces of its own"
        : undefined;
}

/** The path outside the project that errors say is read-only, if a real run could write it. */
function writtenOutside(errors: readonly string[], traces: Traces): string | undefined {
    const { root, words } = traces;
    const [written] = errors
        .filter((line) => mentions(line, READ_ONLY, words.readOnly))
        .flatMap((line) => {
            const names = [...line.split(SEPARATORS, MAX_NAMES), ...quotedNames(line)];
            // The first path is the shell's own.
            const paths = [pathMovedTo(line, names, traces), ...pathsIn(names, traces)];
            return paths.findLast((named) => named && !isInside(root, named)) ?? [];
        });
    return written !== undefined && mayWrite(written) ? written : undefined;
}

/** What a text quotes: `cannot create directory ‘a b’` */
export function quotedNames(text: string): readonly string[] {
    return [...text.matchAll(QUOTED_NAME)].flatMap(([, name]) => name ?? []);
}

/**
 * The host whose credentials are missing, if an error says so: of a host that asked for them, as the
 * proxy saw, or of a host that it names and reached. A test that expects a 401 is neither.
 */
function loginWanted(
    errors: readonly string[],
    traffic: Traces["traffic"] = []
): string | undefined {
    const said = errors.filter((line) => LACKS_LOGIN.test(line));
    const reached = traffic.filter(({ requests }) => requests > 0);
    const isNamed = (host: string) =>
        said.some((line) => [...line.matchAll(URL_HOST)].some(([, named]) => named === host));
    const wanted = said.length > 0 ? reached.find(({ wantsLogin }) => wantsLogin) : undefined;
    return (wanted ?? reached.find(({ host }) => isNamed(host)))?.host;
}

function unmentioned(traces: Traces): readonly string[] {
    const { counters, socket, command, outcome, traffic } = traces;
    const errors = outcome.exitCode === 0 ? [] : errorsOf(traces);
    const isLogin = errors.some((line) => LACKS_LOGIN.test(line));
    const reached = (traffic ?? []).filter(({ requests }) => requests > 0);
    const lacked = traffic ? " without the proxy" : ", which contained commands do not have";
    const hidden = hiddenIn(traces, command) ?? missedIn(errorsOf(traces), traces);
    const { beyond, loopback } = tracesIn(counters ?? "");
    const written = writtenOutside(errorsOf(traces), traces);
    const right = rightIn(errorsOf(traces), traces);
    // `curl -s localhost:3000 | head` fails in silence.
    const port = loopback > 0 ? (refusedPort(errors) ?? ownPortIn(command)) : undefined;
    return [
        ...(beyond > 0 ? [`It tried the network${lacked}.`] : []),
        ...(port === undefined
            ? []
            : [
                  `Contained commands do not reach this machine's own services or jobs, such as port ${port}; a real run does.`,
              ]),
        ...(socket === undefined
            ? []
            : [`It tried the service at ${socket}, which contained commands cannot reach.`]),
        ...(isLogin && reached.length > 0
            ? ["Credentials for hosts are hidden from contained commands."]
            : []),
        ...(hidden === undefined ? [] : [`${hidden.name} is ${hiddenFrom(hidden)}.`]),
        ...(written === undefined
            ? []
            : [`It could not write ${written}, it says; a real run can.`]),
        ...(right === undefined ? [] : [`It could not ${right}, it says; a real run can.`]),
    ];
}

/**
 * The paths that words are, as far as that is known: which folder `..` starts from only if the path,
 * or a folder of it, was typed, and nothing moved without ending there.
 */
function pathsIn(
    words: readonly string[],
    { folder: start, endedIn: folder = start, home = "", root, command }: Traces
): readonly string[] {
    const folders = command.split(SEPARATORS, MAX_NAMES).map((word) => word.replace(/\/$/, ""));
    const isTyped = (name: string) =>
        (folder !== start || !MOVES.test(command)) &&
        (command.includes(name) || folders.some((word) => name.startsWith(`${word}/`)));
    return words.flatMap((word) => {
        const name = word.replace(/^(?:~|\$HOME|\$\{HOME\})(?=\/|$)/, home);
        if (name === "" || name.length > MAX_PATH) return [];
        const named = path.resolve(folder, name);
        const isKnown = path.isAbsolute(name) || isInside(root, named);
        return isKnown || isTyped(name) ? [named] : [];
    });
}

/** The last typed name, in the only folder that a command moved to and left: `(cd .. && mkdir e)` */
function pathMovedTo(
    line: string,
    names: readonly string[],
    { folder, endedIn = folder, home = "", command }: Traces
): string | undefined {
    const [moved, another] = [...command.matchAll(MOVED)];
    const typed = new Set([...command.split(SEPARATORS), ...quotedNames(command)]);
    const name = names.findLast((each) => typed.has(each) && each && !line.startsWith(each));
    if (!moved || another || name === undefined || endedIn !== folder) return undefined;
    const [, written = ""] = moved;
    return path.resolve(folder, written.replace(/^~(?=\/|$)/, home), name);
}

function hiddenFrom({ couldShow = false }: HiddenPath): string {
    const exception = couldShow ? " unless `containment.show` lists it" : "";
    return `hidden from contained commands${exception}`;
}

/** The first hidden file that errors miss, by its path or by a name that leads to it. */
function missedIn(errors: readonly string[], traces: Traces): HiddenPath | undefined {
    const { words, root, variables } = traces;
    const failures = errors.filter(
        (line) => mentions(line, DENIED, words.denied) || mentions(line, MISSING, words.missing)
    );
    const text = failures.join("\n");
    const sought = soughtPlaces(errors, variables, root);
    return hiddenIn(traces, text) ?? firstHidden(sought, traces);
}

/** The first hidden file that a text names, also through a link in the project. */
function hiddenIn(traces: Traces, text: string): HiddenPath | undefined {
    const named = pathsIn(text.split(SEPARATORS, MAX_NAMES), traces);
    return firstHidden(
        named.map((each) => throughNewLinks(each, traces)),
        traces
    );
}

function firstHidden(locations: readonly string[], traces: Traces): HiddenPath | undefined {
    for (const location of locations) {
        const hidden = hiddenAt(location, traces);
        if (hidden !== undefined) return hidden;
    }
    return undefined;
}

/** Where a path leads that goes through a link the command made itself. */
function throughNewLinks(location: string, { root, effects }: Traces): string {
    for (const { path: name, type, after } of effects.changes) {
        const link = path.join(root, name);
        if (type !== "link" || after === null || !isInside(link, location)) continue;
        const target = Buffer.from(after).toString();
        return path.resolve(path.dirname(link), target, path.relative(link, location));
    }
    return location;
}

/** A file that is not there yet counts as hidden if its folder is; without one, a real run fails too. */
function hiddenAt(location: string, { root, nameHidden }: Traces): HiddenPath | undefined {
    const real = resolveRealPath(location);
    const named = real === undefined ? path.dirname(location) : location;
    const known = real ?? resolveRealPath(named);
    // Nothing but the way to the project is seen of the folders above it.
    if (known === undefined || isInside(known, root)) return undefined;
    // A real run fails there as well.
    if (!canAccess(known, real === undefined ? constants.W_OK : constants.R_OK)) return undefined;
    const hidden = nameHidden(known, named);
    if (real !== undefined || hidden === undefined) return hidden;
    return { name: path.join(hidden.name, path.basename(location)) };
}

/** Also matches messages in the command's locale. */
function mentions(line: string, codes: readonly string[], words: string | undefined): boolean {
    const lower = line.toLowerCase();
    return [...codes, words ?? ""].some((each) => each && lower.includes(each.toLowerCase()));
}
