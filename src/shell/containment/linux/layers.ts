import { randomBytes } from "node:crypto";
import { existsSync, lutimesSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { isInside } from "../../../base/paths.js";
import type { RunFolders } from "../containment.js";
import { socketsBelow } from "./kernel-tables.js";
import type { ProjectChanges } from "./changed-layers.js";
import { copyTimes, Mask, type Masked } from "./mask.js";
import {
    copyOnWrite,
    closed,
    device,
    type Mount,
    mountTable,
    privateMemory,
    readOnly,
    shared,
} from "./mount-table.js";
import { SecretsInView } from "./secrets-in-view.js";
import { DEVICES, Skeleton } from "./skeleton.js";
import { NO_SERVICE } from "./supervisor.js";
import { TemporaryFolders } from "./temporary-folders.js";
import { depthOf, namesForRule, type ShownPath, type View } from "./view.js";

const MEMORY = "size=256m,nr_inodes=20000";
/** Stand-ins for the machine's services, which only serve to say what a command looked for. */
const MAX_SOCKETS = 200;

export const TRIAL_PLACE = "/run/north-trial";
/** Where a command sees what it shares with North. */
export const EXCHANGE_PATH = "/run/north";

/** A run's folders and everything that is mounted for it. */
export interface RunLayers {
    readonly folders: RunFolders;
    readonly mounts: readonly Mount[];
}

/** What is masked in a place, and what the overlay shows beneath. */
interface Lower {
    readonly layer: string;
    /** What the layer leads to. */
    readonly source: string;
    readonly mask?: Mask;
    readonly secrets?: SecretsInView;
}

/** Names the user's keys, in whatever namespace. */
const CLOSED = ["/proc/keys"];

const NOTHING: Masked = { secrets: [], gitSettings: [] };

/** The folders behind the mounts. No name leads to them from inside: the old root is gone. */
export class Layers {
    readonly temporary: TemporaryFolders;
    private readonly lowers = new Map<string, Lower>();
    private readonly skeleton: Skeleton;

    constructor(private readonly view: View) {
        for (const folder of ["from", "new", "empty"]) mkdirSync(this.at(folder));
        const mountPoints = this.anchors
            .filter(({ path: location }) => isTemporary(path.dirname(location)))
            .map(({ path: location }) => path.basename(location));
        this.temporary = new TemporaryFolders(this.at(), [...new Set(mountPoints)]);
        this.skeleton = new Skeleton(this.at("root"), view);
        for (const entry of view.shown) {
            if (entry.way !== "private") this.lowers.set(entry.path, this.lowerOf(entry));
        }
        for (const { path: location, spine } of this.anchors) {
            if (!spine) continue;
            const source = this.at("root", location);
            this.lowers.set(location, { layer: this.from(source), source });
        }
    }

    /**
     * Creates a run's folders and mount table; `changes` are layered over the project, and `shown` is
     * visible at `TRIAL_PLACE`.
     */
    next(tmp: string, hidden: Masked, changes?: ProjectChanges, shown?: string): RunLayers {
        const run = randomBytes(12).toString("hex");
        const folders = {
            run,
            tmp,
            project: `${run}/project`,
            git: `${run}/git`,
            home: `${run}/home`,
            exchange: `${run}/exchange`,
        };
        mkdirSync(this.at(run), { mode: 0o700 });
        mkdirSync(this.at(folders.exchange));
        this.skeleton.refresh();
        this.placeServices(run);
        const trial =
            shown === undefined ? [] : [this.anchored(readOnly(TRIAL_PLACE, shown, "empty"))];
        const mounts = [...this.mounts(folders, hidden, changes), ...trial];
        writeFileSync(this.at(run, "fstab"), mountTable(mounts), { flag: "wx" });
        return { folders, mounts };
    }

    /** Looks for what is to be masked in the next run. */
    async refresh(): Promise<void> {
        const searches = [...this.lowers.values()].flatMap(({ secrets }) => secrets ?? []);
        await Promise.all(searches.map((search) => search.refresh()));
    }

    /** Returns what is masked, by place. */
    masked(): readonly string[] {
        return [...this.lowers].flatMap(([location, { secrets }]) =>
            (secrets?.masked.secrets ?? []).map((file) => path.join(location, file))
        );
    }

    /** The same as real paths. */
    hidden(): readonly string[] {
        return [...this.lowers.values()].flatMap(({ source, secrets }) =>
            (secrets?.masked.secrets ?? []).map((file) => path.join(source, file))
        );
    }

    private mounts(
        folders: RunFolders,
        hidden: Masked,
        changes: ProjectChanges | undefined
    ): readonly Mount[] {
        const { shown: entries } = this.view;
        const mounts = [
            readOnly("/", "root", "empty"),
            ...DEVICES.map(device),
            ...CLOSED.filter((location) => existsSync(location)).map(closed),
            ...entries.flatMap((entry) => this.mountOf(entry, folders, hidden, changes) ?? []),
            ...this.anchors.flatMap(({ path: location, spine }) =>
                spine ? this.readOnly(location) : []
            ),
            { ...shared(EXCHANGE_PATH, folders.exchange), options: "bind,X-mount.mkdir" },
        ];
        return mounts.sort((one, other) => depthOf(one.path) - depthOf(other.path));
    }

    private mountOf(
        { path: location, what, way }: ShownPath,
        folders: RunFolders,
        hidden: Masked,
        changes: ProjectChanges | undefined
    ): Mount | undefined {
        switch (way) {
            case "private":
                return privateMount(location, folders);
            case "read-only":
                return this.readOnly(location);
            case "discarded":
            case "copy-on-write": {
                const folder =
                    what === "cache"
                        ? `${folders.run}/cache-${this.view.shown.findIndex((each) => each.path === location)}`
                        : folders[what === "home" ? "home" : what === "git" ? "git" : "project"];
                const { layer, source } = this.lower(location);
                const isProject = what === "project";
                const mask = isProject
                    ? this.maskOf(location, hidden, changes?.at)
                    : this.maskOf(location, NOTHING);
                const lower = [mask ?? [], (isProject && changes?.layers) || [], layer].flat();
                return this.anchored(copyOnWrite(location, lower, this.writable(folder, source)));
            }
            default:
                return way satisfies never;
        }
    }

    private readOnly(location: string): Mount {
        const mask = this.maskOf(location, NOTHING);
        const { layer } = this.lower(location);
        // Two layers, whatever is masked; the top one determines the folder's own mode and times.
        const mount =
            mask === undefined
                ? readOnly(location, "empty", layer)
                : readOnly(location, layer, mask);
        return this.anchored(mount);
    }

    /** In a file system that is mounted afresh its mount point must be made. */
    private anchored(mount: Mount): Mount {
        const parent = path.dirname(mount.path);
        const isFresh = parent === "/run" || parent === "/dev/shm";
        return isFresh ? { ...mount, options: `${mount.options},X-mount.mkdir` } : mount;
    }

    private lowerOf(shown: ShownPath): Lower {
        const { path: location, source, what } = shown;
        // Of HOME only what the skeleton holds.
        const real = what === "home" ? this.at("root", location) : source;
        const layer = this.from(real);
        if (what === "home") return { layer, source: real };
        const [name] = namesForRule(shown, this.view.options.home);
        const prefix = what === "project" ? "" : name;
        const mask = new Mask(this.at(), `mask-${path.basename(layer)}`, source, prefix);
        if (what === "project") return { layer, source, mask };
        return { layer, source, mask, secrets: new SecretsInView(shown, this.view) };
    }

    private maskOf(
        location: string,
        hidden: Masked,
        at?: ProjectChanges["at"]
    ): string | undefined {
        const { mask, secrets } = this.lower(location);
        return mask?.over(secrets?.masked ?? hidden, at);
    }

    private lower(location: string): Lower {
        const lower = this.lowers.get(location);
        if (!lower) throw new Error(`${location} has no layer.`);
        return lower;
    }

    /** A link to it: its own name may hold commas and colons, which overlays take for separators. */
    private from(source: string): string {
        const name = `from/${this.lowers.size}`;
        symlinkSync(source, this.at(name));
        return name;
    }

    /**
     * The first folders below private ones on the way to something shown, such as `/tmp/a` for a
     * project in `/tmp/a/b`. Such a `spine` is read-only: a command could otherwise replace what is
     * below by a link before the next run. (A mount point it cannot replace.)
     */
    private get anchors(): readonly { readonly path: string; readonly spine: boolean }[] {
        const found = new Map<string, boolean>();
        for (const { path: location, way } of this.view.shown) {
            const around = this.view.around(path.dirname(location));
            if (way === "private" || around?.what !== "private") continue;
            const [first = ""] = path.relative(around.path, location).split("/");
            const anchor = path.join(around.path, first);
            found.set(anchor, !this.view.shown.some((each) => each.path === anchor));
        }
        return [...found].map(([location, spine]) => ({ path: location, spine }));
    }

    /** Dangling links replace sockets: a link's access time shows that someone tried to use it. */
    private placeServices(run: string): void {
        for (const [location, target] of this.view.links) {
            if (isInside("/run", location)) this.placeInRun(run, location, target);
        }
        for (const socket of socketsBelow("/run", MAX_SOCKETS)) {
            this.placeInRun(run, socket, NO_SERVICE);
        }
    }

    private placeInRun(run: string, location: string, target: string): void {
        const link = this.at(run, "services", path.relative("/run", location));
        mkdirSync(path.dirname(link), { recursive: true });
        symlinkSync(target, link);
        // Until somebody follows it.
        lutimesSync(link, 0, 0);
    }

    /** Creates the folders of a writable layer; `upper` gets the times of what it covers. */
    private writable(folder: string, covered: string): string {
        for (const name of ["", "upper", "work"]) mkdirSync(this.at(folder, name));
        copyTimes(covered, this.at(folder, "upper"));
        return folder;
    }

    private at(...names: readonly string[]): string {
        return path.join(this.view.options.base, ...names);
    }
}

function privateMount(path: string, { tmp }: RunFolders): Mount | undefined {
    switch (path) {
        case "/proc":
            return { path, type: "proc", options: "nosuid,nodev,noexec" };
        case "/dev/pts":
            return { path, type: "devpts", options: "newinstance,ptmxmode=0666,mode=620" };
        case "/dev/shm":
            return privateMemory(path, `${MEMORY},mode=1777`);
        case "/run":
            return privateMemory(path, `${MEMORY},mode=755`);
        default:
            return isTemporary(path) ? shared(path, tmp) : undefined;
    }
}

function isTemporary(path: string): boolean {
    return path === "/tmp" || path === "/var/tmp";
}
