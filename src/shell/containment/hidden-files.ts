import { lstatSync, readdirSync, type Dirent } from "node:fs";
import path from "node:path";
import { attempt } from "../../base/attempt.js";
import { bytesOf, nameOf } from "../../base/byte-names.js";
import { Pacer } from "../../base/pacer.js";
import { readShortFile } from "../../base/read-regular-file.js";
import {
    includedPaths,
    includedPlace,
    isGitSettings,
    withoutGitCredentials,
} from "../../base/secrets/git-settings.js";
import { isSecretFile } from "../../base/secrets/secret-files.js";
import { judgeName } from "../../base/secrets/secret-names.js";

/** A folder or file changed this recently may change again without new times. */
const SETTLED_MS = 50;

/** Too many folders to look at before every command. */
const DEPENDENCIES = /^(?:node_modules|bower_components|\.?venv|site-packages|vendor|\.yarn)$/;
const DEPENDENCIES_MS = 30_000;
const MAX_SETTINGS = 256 * 1024;

/** What is searched of a git directory: settings are nowhere else. */
const GIT_FOLDERS = /\.git(?:\/(?:modules|worktrees)(?:\/.*)?)?$/;
const GIT_DATA = /\/(?:objects|refs|logs|hooks|info|lfs|rr-cache)$/;

type SecretKind = "secret" | "git-settings";

/** A file with a name that does not decide: judged again when it has changed. */
interface Probed {
    readonly path: string;
    readonly version: string;
    readonly kind: SecretKind | undefined;
    readonly included: readonly string[];
}

/** What is in a folder, as far as names tell. */
class SortedEntries {
    readonly folders: string[] = [];
    readonly secrets: string[] = [];
    readonly doubtful: string[] = [];

    /** `whole` is the name that the rule judges. */
    add(path: string, whole: string): void {
        const verdict = isGitSettings(whole) ? "settings" : judgeName(whole);
        if (verdict === "secret") this.secrets.push(path);
        else if (verdict !== "ordinary") this.doubtful.push(path);
    }
}

interface Folder extends SortedEntries {
    readonly changedAt: number;
    readonly lookedAt: number;
}

interface Walked {
    readonly folders: ReadonlyMap<string, Folder>;
    readonly secrets: readonly string[];
    readonly doubtful: readonly string[];
    readonly at: number;
}

/**
 * The files in a folder that hold secrets, including ignored ones and dependencies. A rescan reads
 * only what has changed since, so it is cheap enough to do before every command. Paths are relative
 * to the folder, and made by `nameOf`.
 */
export class HiddenFiles {
    private folders: ReadonlyMap<string, Folder> = new Map();
    private probed = new Map<string, Probed>();
    private settings: readonly string[] = [];
    private readonly dependencies = new Map<string, Walked>();

    constructor(
        private readonly root: string,
        private readonly options: {
            /** Files and folders to search; all of the root by default. */
            readonly paths?: readonly string[];
            /** Whether third-party folders are searched. */
            readonly dependencies?: "skip";
            /** What precedes the paths for the rule, such as `.git`. */
            readonly prefix?: string;
            /** Folders deeper than this are looked at only now and then, as dependencies are. */
            readonly depth?: number;
            /** For `~` in git settings. */
            readonly home?: string | undefined;
        } = {}
    ) {}

    /** Secrets, and settings with a credential in them. */
    list(): readonly string[] {
        const listing = this.listing();
        for (let next = listing.next(); ; next = listing.next()) if (next.done) return next.value;
    }

    /** The same in slices, for folders that may hold hundreds of thousands of files. */
    async listInSlices(): Promise<readonly string[]> {
        const pacer = new Pacer("The search for secrets", Infinity);
        const listing = this.listing();
        for (let next = listing.next(); ; next = listing.next()) {
            if (next.done) return next.value;
            if (pacer.isDue) await pacer.yieldToEventLoop();
        }
    }

    private *listing(): Generator<void, readonly string[]> {
        const { paths: locations } = this.options;
        const begin = locations
            ? this.sorted(locations)
            : { folders: [""], secrets: [], doubtful: [] };
        const walked = yield* this.walk(begin.folders, this.folders, (location) =>
            this.isThirdParty(location)
        );
        this.folders = walked.folders;
        const parts: Pick<Walked, "secrets" | "doubtful">[] = [begin, walked];
        if (this.options.dependencies !== "skip") {
            for (const location of walked.left) parts.push(yield* this.thirdParty(location));
        }
        const probed = this.probeAll(parts.flatMap(({ doubtful }) => doubtful));
        const ofKind = (kind: SecretKind) =>
            probed.filter((each) => each.kind === kind).map((each) => each.path);
        this.settings = ofKind("git-settings").sort();
        return [...parts.flatMap(({ secrets }) => secrets), ...ofKind("secret")].sort();
    }

    /** Git settings with a credential in them, as of the last `list`. */
    gitSettings(): readonly string[] {
        return this.settings;
    }

    /** Looks at all folders below except those `isLeft` names, and finds what is `known` again. */
    private *walk(
        starts: readonly string[],
        known: ReadonlyMap<string, Folder>,
        isLeft: (location: string) => boolean
    ): Generator<void, Omit<Walked, "at"> & { readonly left: readonly string[] }> {
        const folders = new Map<string, Folder>();
        const secrets: string[] = [];
        const doubtful: string[] = [];
        const left: string[] = [];
        const waiting = [...starts];
        for (let location = waiting.pop(); location !== undefined; location = waiting.pop()) {
            const folder = this.lookAt(location, known.get(location));
            yield;
            if (!folder) continue;
            folders.set(location, folder);
            secrets.push(...folder.secrets);
            doubtful.push(...folder.doubtful);
            for (const each of folder.folders) (isLeft(each) ? left : waiting).push(each);
        }
        return { folders, secrets, doubtful, left };
    }

    /** Large and rarely changed: looked at again only after a while. */
    private *thirdParty(location: string): Generator<void, Walked> {
        const known = this.dependencies.get(location);
        if (known && Date.now() - known.at < DEPENDENCIES_MS) return known;
        const at = Date.now();
        const folders = known?.folders ?? new Map<string, Folder>();
        const walked = { ...(yield* this.walk([location], folders, () => false)), at };
        this.dependencies.set(location, walked);
        return walked;
    }

    private isThirdParty(location: string): boolean {
        const { depth } = this.options;
        const names = location.split("/");
        return depth === undefined ? DEPENDENCIES.test(names.at(-1) ?? "") : names.length > depth;
    }

    private lookAt(location: string, known: Folder | undefined): Folder | undefined {
        const absolute = this.absolutePath(location);
        const status = lstatSync(absolute, { throwIfNoEntry: false });
        if (!status?.isDirectory()) return undefined;
        const isSettled = known && known.lookedAt - known.changedAt > SETTLED_MS;
        // Not its mtime, which programs may restore.
        if (isSettled && known.changedAt === status.ctimeMs) return known;
        return this.read(location, absolute, status.ctimeMs);
    }

    private read(location: string, absolute: string | Buffer, changedAt: number): Folder {
        const lookedAt = Date.now();
        const sorted = new SortedEntries();
        const isInGit = /(?:^|\/)\.git(?:\/|$)/.test(this.nameFor(location));
        for (const [name, entry] of entriesOf(absolute)) {
            const inside = location === "" ? name : `${location}/${name}`;
            const whole = this.nameFor(inside);
            if (!entry.isDirectory()) {
                sorted.add(inside, whole);
            } else if (!isInGit || (GIT_FOLDERS.test(whole) && !GIT_DATA.test(whole))) {
                sorted.folders.push(inside);
            }
        }
        return Object.assign(sorted, { changedAt, lookedAt });
    }

    /** Places to search, which need not be in one folder. */
    private sorted(paths: readonly string[]): SortedEntries {
        const sorted = new SortedEntries();
        for (const location of paths) {
            const status = lstatSync(this.absolutePath(location), { throwIfNoEntry: false });
            if (status?.isDirectory()) sorted.folders.push(location);
            else if (status) sorted.add(location, this.nameFor(location));
        }
        return sorted;
    }

    private probeAll(paths: readonly string[]): Probed[] {
        const current = new Map<string, Probed>();
        const waiting = paths.map((location) => ({
            place: location,
            isGit: isGitSettings(this.nameFor(location)),
        }));
        for (let next = waiting.pop(); next; next = waiting.pop()) {
            if (current.has(next.place)) continue;
            const probed = this.probe(next.place, next.isGit);
            if (!probed) continue;
            current.set(next.place, probed);
            waiting.push(...probed.included.map((location) => ({ place: location, isGit: true })));
        }
        this.probed = current;
        return [...current.values()];
    }

    private probe(location: string, isGit: boolean): Probed | undefined {
        const absolute = this.absolutePath(location);
        // Settings may include any path: below a file, too long, or a folder.
        const status = attempt(() => lstatSync(absolute));
        if (!status || status.isDirectory()) return undefined;
        const isSettled = Date.now() - status.mtimeMs > SETTLED_MS;
        const version = `${status.mtimeMs} ${status.ctimeMs} ${status.size} ${isGit}`;
        const known = this.probed.get(location);
        // What a link leads to changes without it.
        if (isSettled && known?.version === version && status.isFile()) return known;
        if (!isGit) {
            const kind = isSecretFile(this.nameFor(location), absolute) ? "secret" : undefined;
            return { path: location, version, kind, included: [] };
        }
        const text = readShortFile(absolute, MAX_SETTINGS);
        const holds = text === undefined || withoutGitCredentials(text) !== text;
        const included = this.includedBy(text ?? "", path.dirname(String(absolute)));
        return { path: location, version, kind: holds ? "git-settings" : undefined, included };
    }

    private includedBy(text: string, folder: string): string[] {
        return includedPaths(text).flatMap((written) => {
            const relative = path.relative(
                this.root,
                includedPlace(written, folder, this.options.home)
            );
            return relative === "" || relative.startsWith("..") ? [] : [relative];
        });
    }

    private nameFor(location: string): string {
        const { prefix = "" } = this.options;
        return prefix === "" || location === "" ? prefix + location : `${prefix}/${location}`;
    }

    private absolutePath(location: string): string | Buffer {
        return bytesOf(path.join(this.root, location));
    }
}

function entriesOf(folder: string | Buffer): (readonly [string, Dirent | Dirent<Buffer>])[] {
    try {
        const entries = readdirSync(folder, { withFileTypes: true });
        // Bytes that are not UTF-8: names must be read as bytes.
        if (!entries.some(({ name }) => name.includes("\uFFFD"))) {
            return entries.map((entry) => [entry.name, entry]);
        }
        return readdirSync(folder, { withFileTypes: true, encoding: "buffer" }).map((entry) => [
            nameOf(entry.name),
            entry,
        ]);
    } catch {
        // What this user cannot read, a command cannot either.
        return [];
    }
}
