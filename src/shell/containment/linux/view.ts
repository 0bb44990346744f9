import { lstatSync, readlinkSync, type Stats } from "node:fs";
import path from "node:path";
import { attempt } from "../../../base/attempt.js";
import { isGitSettings } from "../../../base/secrets/git-settings.js";
import { isSecretFile } from "../../../base/secrets/secret-files.js";
import { standInFor } from "../../../base/secrets/stand-in.js";
import { isInside, leavesFolder, resolveRealPath } from "../../../base/paths.js";
import type { ContainmentOptions } from "../containment.js";
import { CACHES, PRIVATE, SHOWN, SYSTEM } from "../toolchains.js";
import { certificatesIn, entriesOf, linksOnTheWay, placesOfPrograms } from "./home-view.js";
import { locationOf, mountEntries } from "./kernel-tables.js";
import type { UserGitPlaces } from "../git-places.js";

export interface ViewOptions extends Pick<ContainmentOptions, "settings" | "hiddenFolders"> {
    /** North's layers. A real path, as the others. */
    readonly base: string;
    readonly root: string;
    readonly home?: string;
    readonly environment: NodeJS.ProcessEnv;
    /** Git's folder, if outside the project. */
    readonly gitFolder?: string;
    readonly gitPlaces: UserGitPlaces;
}

/** `discarded` is copy-on-write as well, but nobody reads what was written. */
type Way = "read-only" | "copy-on-write" | "discarded" | "private";
export type PlaceKind = "system" | "programs" | "home" | "cache" | "project" | "git" | "private";

export interface ShownPath {
    /** Its path, inside as outside. */
    readonly path: string;
    /** The real path of what it shows. */
    readonly source: string;
    readonly what: PlaceKind;
    readonly way: Way;
}

const WAY_OF: Readonly<Record<PlaceKind, Way>> = {
    system: "read-only",
    programs: "read-only",
    home: "discarded",
    cache: "discarded",
    project: "copy-on-write",
    git: "copy-on-write",
    private: "private",
};

/**
 * The table of what contained commands see. Nothing else exists for them: the new root is built
 * from it, what was mounted is compared with it, and `doctor` prints it.
 */
export class View {
    /** Parents first. */
    readonly shown: readonly ShownPath[];
    /** Single files, which no overlay can show: copies. From their place to the original. */
    readonly files = new Map<string, string>();
    /** Links of the machine without which a place could not be named as usual. */
    readonly links = new Map<string, string>();
    /** Folders that exist only to hold what is shown. */
    readonly folders = new Set<string>();
    /** Absolute paths of the settings' `hide`. */
    readonly hidden: readonly string[];
    private readonly found = new Map<string, ShownPath>();
    private readonly mounts = mountEntries();

    constructor(readonly options: ViewOptions) {
        const { home, root, gitFolder, gitPlaces, settings, environment } = options;
        const inHome = (paths: readonly string[]) =>
            home === undefined ? [] : paths.map((location) => path.join(home, location));
        const named = (paths: readonly string[]) =>
            paths.flatMap((location) => absolute(home, location) ?? []);
        this.hidden = named(settings.hide);
        for (const location of PRIVATE) this.put(location, location, "private");
        this.linkTop("/");
        this.linkTop("/var");
        for (const location of SYSTEM) this.show(location, "system");
        if (home !== undefined) this.put(home, home, "home");
        const places = [...inHome(SHOWN), ...gitPlaces.settings, ...gitPlaces.named];
        places.push(...certificatesIn(environment), ...named(settings.show));
        for (const location of places) this.show(location, "programs");
        this.put(root, root, "project");
        const programs = this.programFolders(environment.PATH ?? "");
        const isShown = (location: string) => this.shows(location) || this.isLinked(location);
        for (const location of placesOfPrograms(programs, home, isShown)) {
            this.show(location, "programs");
        }
        for (const location of inHome(CACHES)) this.show(location, "cache");
        if (gitFolder !== undefined) this.put(gitFolder, gitFolder, "git");
        const { HOME = "", PWD = "", PATH = "" } = environment;
        for (const name of [HOME, PWD, ...PATH.split(":")]) this.linkTo(name);
        this.shown = [...this.found.values()].sort(
            (one, other) => depthOf(one.path) - depthOf(other.path)
        );
    }

    /** Whether a real path is what a command sees there, apart from masked files. */
    shows(location: string): boolean {
        if (this.files.has(location)) return true;
        const around = this.around(location);
        if (around === undefined || around.what === "private" || around.what === "home") {
            return this.holds(location);
        }
        return !this.isHidden(location);
    }

    /** Whether a path leads to a real one as outside, because a link on its way is shown as a place. */
    leads(named: string, location: string): boolean {
        if (this.files.get(named) === location) return true;
        const around = this.around(named);
        const isLink = around !== undefined && around.source !== around.path;
        return isLink && isInside(around.source, location) && !this.isHidden(location);
    }

    /** Whether a path may exist inside at all. */
    exists(location: string): boolean {
        return this.links.has(location) || this.shows(location);
    }

    /** Whether North hides it in what is shown: its own folders, credentials and `hide`. */
    isHidden(location: string): boolean {
        const { base, hiddenFolders, root } = this.options;
        // A project may be kept in North's own folder, as a task's.
        const folders = [base, ...hiddenFolders, ...this.hidden].filter(
            (each) => !isInside(each, root) || !isInside(root, location)
        );
        return folders.some((each) => isInside(each, location));
    }

    /** Whether `containment.show` could end that it is not shown. */
    couldShow(location: string): boolean {
        const isPrivate = this.around(location)?.what === "private";
        const isKept = this.isHidden(location) || this.isUnfit(location);
        const isSecret = this.contentOf(location, location) === undefined;
        return !isPrivate && !isKept && !isSecret;
    }

    /** A file system mounted inside the project would be missing from its overlay. */
    get foreignMount(): string | undefined {
        return innerMounts(mountEntries(), this.options.root)[0];
    }

    /** The innermost place that contains a path. */
    around(location: string): ShownPath | undefined {
        for (let each = location; ; each = path.dirname(each)) {
            const found = this.found.get(each);
            if (found !== undefined || each === path.dirname(each)) return found;
        }
    }

    shortName(location: string): string {
        const { root, home } = this.options;
        if (isInside(root, location)) return path.relative(root, location) || ".";
        if (home !== undefined && isInside(home, location)) {
            return `~/${path.relative(home, location)}`;
        }
        return location;
    }

    /** Whether a path leads to what is shown through a link at the top, such as `/bin`. */
    private isLinked(location: string): boolean {
        if (![...this.links.keys()].some((link) => isInside(link, location))) return false;
        const real = resolveRealPath(location);
        return real !== undefined && this.shows(real);
    }

    /** Whether a path exists only because something below it is shown. */
    private holds(location: string): boolean {
        const held = [...this.found.keys(), ...this.files.keys(), ...this.folders];
        return held.some((each) => isInside(location, each));
    }

    private show(named: string, what: "system" | "programs" | "cache"): void {
        const location = this.placeOf(named);
        const source = resolveRealPath(location);
        if (source === undefined) return;
        if (what !== "system" && (this.isUnfit(location) || this.isUnfit(source))) return;
        if (this.hidden.some((each) => isInside(each, location))) return;
        // The parent shows it; a cache inside is a place of its own.
        const isSeen = this.around(location)?.way === "read-only";
        if (isSeen && (what !== "cache" || location !== named)) return;
        if (what === "system" && this.links.has(location)) return;
        // The old tree of all controllers is a tree of mounts, and no program of a build needs it.
        const isControl = location === "/sys/fs/cgroup";
        if (
            isControl &&
            !this.mounts.some((each) => each.path === location && each.type === "cgroup2")
        ) {
            return;
        }
        this.showTree(location, source, what);
    }

    /** Where a path leads inside: a folder that is shown may hold a link on its way. */
    private placeOf(location: string): string {
        const around = this.around(location);
        if (around?.way !== "read-only") return location;
        const names = path.relative(around.path, location).split("/");
        for (let depth = 1; depth <= names.length; depth++) {
            const inside = names.slice(0, depth).join("/");
            const target = attempt(() => readlinkSync(path.join(around.source, inside)));
            if (target === undefined) continue;
            const folder = path.dirname(path.join(around.path, inside));
            return path.resolve(folder, target, ...names.slice(depth));
        }
        return location;
    }

    /** An overlay does not show what is mounted below, so such a folder is shown piece by piece. */
    private showTree(
        location: string,
        source: string,
        what: "system" | "programs" | "cache"
    ): void {
        if (this.isSecondMount(source)) return;
        const stats = statsOf(source);
        if (stats?.isFile()) {
            const isClosed = what === "system" && (stats.mode & 0o004) === 0;
            const isMasked = isClosed || this.contentOf(location, source) === undefined;
            if (!isMasked && !this.isHidden(location)) this.files.set(location, source);
        } else if (stats?.isDirectory() && innerMounts(this.mounts, source).length === 0) {
            this.put(location, source, what);
        } else if (stats?.isDirectory()) {
            this.folders.add(location);
            for (const entry of entriesOf(source)) {
                const [inside, below] = [
                    path.join(location, entry.name),
                    path.join(source, entry.name),
                ];
                if (entry.isSymbolicLink()) this.links.set(inside, readlinkSync(below));
                else this.showTree(inside, below, what);
            }
        }
    }

    /** Whether HOME, or what North keeps, is mounted there as well, or is inside something that is. */
    private isSecondMount(source: string): boolean {
        const mount = this.mounts.findLast(({ path: location }) => location === source);
        if (mount === undefined) return false;
        const { base, hiddenFolders, home, root } = this.options;
        return [home ?? root, base, ...hiddenFolders].some((folder) => {
            const inMount = locationOf(folder, this.mounts);
            if (inMount?.device !== mount.device || isInside(source, folder)) return false;
            return isInside(inMount.inside, mount.root) || isInside(mount.root, inMount.inside);
        });
    }

    /** How a single file is shown: settings without their credentials; `undefined`: not at all. */
    contentOf(location: string, source: string): "whole" | Buffer | undefined {
        const names = namesForRule({ path: location, source }, this.options.home);
        const isGit = names.some(isGitSettings) || this.options.gitPlaces.settings.includes(source);
        const secret = names.filter((name) => isGit || isSecretFile(name, source));
        if (secret.length === 0) return "whole";
        const standIns = secret.map((name) => standInFor(name, source, isGit));
        return standIns.includes(undefined) ? undefined : standIns[0];
    }

    private put(location: string, source: string, what: PlaceKind): void {
        this.found.set(location, { path: location, source, what, way: WAY_OF[what] });
    }

    /** What would show all of HOME, what the project shows itself, or North's own folders. */
    private isUnfit(location: string): boolean {
        const { base, hiddenFolders, home, root } = this.options;
        if (location === "/" || (home !== undefined && isInside(location, home))) return true;
        return [root, base, ...hiddenFolders].some((each) => isInside(each, location));
    }

    private programFolders(searchPath: string): readonly string[] {
        const { home } = this.options;
        return searchPath.split(":").flatMap((named) => {
            if (!path.isAbsolute(named)) return [];
            const location = absolute(home, this.inRealHome(named)) ?? named;
            const isInHome = home !== undefined && isInside(home, location);
            const real = resolveRealPath(named);
            const shown = isInHome ? location : real;
            // `/mnt` and the like are not folders of programs, and would expose the project's neighbours.
            if (shown === undefined || depthOf(shown) < 2) return [];
            if (isInside(shown, this.options.root) || this.isUnfit(shown)) return [];
            const around = this.around(shown)?.what;
            return around === undefined || around === "home" || around === "programs"
                ? [shown]
                : [];
        });
    }

    /** HOME may be named through a link. */
    private inRealHome(location: string): string {
        const { home, environment } = this.options;
        const { HOME = "" } = environment;
        if (home === undefined || !path.isAbsolute(HOME) || !isInside(HOME, location)) {
            return location;
        }
        return path.join(home, path.relative(HOME, location));
    }

    private linkTop(folder: string): void {
        for (const entry of entriesOf(folder)) {
            if (!entry.isSymbolicLink()) continue;
            const location = path.join(folder, entry.name);
            this.links.set(location, readlinkSync(location));
        }
    }

    private linkTo(named: string): void {
        if (!path.isAbsolute(named) || resolveRealPath(named) === undefined) return;
        for (const [location, target] of linksOnTheWay(path.normalize(named))) {
            this.links.set(location, target);
        }
    }
}

/** `undefined` for what is not there, and for what this user cannot reach and a command cannot either. */
export function statsOf(path: string): Stats | undefined {
    return attempt(() => lstatSync(path));
}

/**
 * What of a path outside the project the rule for secrets judges. Tools know a place by its first
 * name; where that is a link, the second is what it leads to.
 */
export function namesForRule(
    { path: location, source }: Pick<ShownPath, "path" | "source">,
    home: string | undefined
): readonly [string, ...string[]] {
    const nameOf = (place: string) =>
        path.relative(home !== undefined && isInside(home, place) ? home : "/", place);
    return location === source ? [nameOf(source)] : [nameOf(location), nameOf(source)];
}

/** A path in HOME, with or without `~`, or an absolute one. */
function absolute(home: string | undefined, location: string): string | undefined {
    if (path.isAbsolute(location)) return path.normalize(location);
    if (home === undefined) return undefined;
    const relative = path.normalize(location.replace(/^~(?=\/|$)/, "."));
    return relative === "." || leavesFolder(relative) ? undefined : path.join(home, relative);
}

function innerMounts(mounts: readonly { readonly path: string }[], folder: string): string[] {
    return mounts
        .map(({ path }) => path)
        .filter((path) => path !== folder && isInside(folder, path));
}

export function depthOf(path: string): number {
    return path.split("/").filter((name) => name !== "").length;
}
