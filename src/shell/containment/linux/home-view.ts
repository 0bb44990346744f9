import { type Dirent, readdirSync, readlinkSync, statSync } from "node:fs";
import path from "node:path";
import { attempt } from "../../../base/attempt.js";
import { isInside, leavesFolder, resolveRealPath } from "../../../base/paths.js";
import { readRegularFile } from "../../../base/read-regular-file.js";

/** What the programs in a toolchain's `bin` need beside it. */
const BESIDE = ["lib", "lib64", "libexec", "include", "share", "etc", "opt", "pyvenv.cfg"];
/** One of these beside `bin` makes a toolchain. */
const TOOLCHAIN = ["lib", "lib64", "libexec", "include", "pyvenv.cfg"];
/** In HOME: what is beside a `bin` here belongs to other programs. */
const SHARED = ["", ".local", ".local/share", ".config", ".cache"];
/** More would slow down every command. */
const MAX_PLACES = 40;
const MAX_PROGRAMS = 1000;
const MAX_LINE = 256;
/** All that systems trust are a quarter of this. */
const MAX_CERTIFICATES = 1024 ** 2;

/**
 * Finds what programs in a PATH folder need: the folder itself, the libraries beside it if it is a
 * toolchain's, and what its links and interpreters lead to. Never a whole parent, which may hold
 * anything. All paths are absolute; `isShown` says what needs no place of its own.
 */
export function placesOfPrograms(
    folders: readonly string[],
    home: string | undefined,
    isShown: (location: string) => boolean
): readonly string[] {
    const [seen, found] = [new Set<string>(), new Set<string>()];
    const waiting = [...folders];
    for (let folder = waiting.shift(); folder !== undefined; folder = waiting.shift()) {
        if (found.size >= MAX_PLACES) break;
        if (seen.has(folder)) continue;
        seen.add(folder);
        if (!isShown(folder)) found.add(folder);
        const isKnown = (location: string) =>
            isShown(location) || [...found].some((each) => isInside(each, location));
        const beside = isToolchain(folder, home) ? path.dirname(folder) : undefined;
        if (beside !== undefined && !isShown(beside)) addBeside(beside, found);
        for (const target of targetsOf(folder)) {
            if (isKnown(target)) continue;
            const [first = ""] =
                beside === undefined ? [] : path.relative(beside, target).split("/");
            if (beside !== undefined && isInside(beside, target)) {
                found.add(path.join(beside, first));
            } else if (isProgramFolder(path.dirname(target))) {
                waiting.push(path.dirname(target));
            } else {
                found.add(target);
            }
            // A package needs those that are installed beside it.
            const [packages] = /^.*?\/node_modules(?=\/)/.exec(target) ?? [];
            if (packages !== undefined && !isShown(packages)) found.add(packages);
        }
    }
    return [...found].slice(0, MAX_PLACES);
}

/** Certificates that a variable names, such as `NODE_EXTRA_CA_CERTS`. They are public. */
export function certificatesIn(environment: NodeJS.ProcessEnv): readonly string[] {
    return Object.values(environment).filter(
        (value): value is string =>
            value !== undefined && path.isAbsolute(value) && holdsOnlyCertificates(value)
    );
}

function holdsOnlyCertificates(file: string): boolean {
    const read = readRegularFile(file, MAX_CERTIFICATES, "follow");
    const text = read?.isWhole ? read.bytes.toString("latin1") : "";
    const block = /-----BEGIN ((?:TRUSTED )?CERTIFICATE)-----[\w+/=\s]*-----END \1-----|^#.*$/gm;
    return text.includes("-----BEGIN ") && text.replace(block, "").trim() === "";
}

function addBeside(parent: string, found: Set<string>): void {
    const names = new Set(entriesOf(parent).map(({ name }) => name));
    for (const name of BESIDE) if (names.has(name)) found.add(path.join(parent, name));
}

function isProgramFolder(folder: string): boolean {
    return /^s?bin$/.test(path.basename(folder));
}

function isToolchain(folder: string, home: string | undefined): boolean {
    const parent = path.dirname(folder);
    const inHome = home === undefined ? ".." : path.relative(home, parent);
    if (!isProgramFolder(folder) || SHARED.includes(inHome)) return false;
    // `/` and `/srv` may contain anything.
    if (leavesFolder(inHome) && parent.split("/").length < 3) return false;
    return entriesOf(parent).some(({ name }) => TOOLCHAIN.includes(name));
}

/** Real paths outside the folder. */
function targetsOf(folder: string): readonly string[] {
    const names = entriesOf(folder).slice(0, MAX_PROGRAMS);
    const targets = names.flatMap((entry) => {
        const location = path.join(folder, entry.name);
        if (entry.isSymbolicLink()) return resolveRealPath(location) ?? [];
        const interpreter = entry.isFile() ? interpreterOf(location) : undefined;
        return interpreter === undefined ? [] : interpreter;
    });
    return [...new Set(targets)].filter(
        (location) => !isInside(folder, location) && isProgram(location)
    );
}

/** A folder that was linked may be a clone, whose links and first lines name any path. */
function isProgram(path: string): boolean {
    const status = attempt(() => statSync(path));
    return status?.isFile() === true && (status.mode & 0o111) !== 0;
}

function interpreterOf(file: string): string | undefined {
    const start = readRegularFile(file, MAX_LINE)?.bytes.toString("utf8") ?? "";
    return /^#! *(\/\S+)/.exec(start)?.[1];
}

/**
 * The links that must exist so that a path can be named as it is: `/home/me/x` where `/home` is a
 * link. From each link's place to its target.
 */
export function linksOnTheWay(named: string): ReadonlyMap<string, string> {
    const links = new Map<string, string>();
    const waiting = named.split("/").filter((name) => name !== "");
    let location = "/";
    for (let steps = 0; waiting.length > 0 && steps < 100; steps++) {
        const next = path.join(location, waiting.shift() ?? "");
        const target = attempt(() => readlinkSync(next));
        if (target === undefined) {
            location = next;
            continue;
        }
        links.set(next, target);
        const absolute = path.resolve(location, target);
        waiting.unshift(...absolute.split("/").filter((name) => name !== ""));
        location = "/";
    }
    return links;
}

/** None of a folder that this user cannot read, since a command cannot either. */
export function entriesOf(folder: string): Dirent[] {
    return attempt(() => readdirSync(folder, { withFileTypes: true }), []);
}
