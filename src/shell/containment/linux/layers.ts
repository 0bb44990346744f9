import { chmodSync, mkdirSync, lstatSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { isInside } from "../../../base/paths.js";
import type { ContainmentOptions, RunFolders } from "../containment.js";
import { HiddenFiles } from "../hidden-files.js";
import { SYSTEM_SECRETS } from "../toolchains.js";
import { homeView, type HomeView, isHiddenInHome } from "./home-view.js";
import {
    bind,
    device,
    emptyFolder,
    type Mount,
    mountTable,
    overlay,
    WRITABLE,
} from "./mount-table.js";
import { copyTimes, Mask, type Masked } from "./mask.js";
import { mountPoints, socketPaths } from "./kernel-tables.js";

const DEVICES = ["null", "zero", "full", "random", "urandom", "tty"];
const MEMORY = "size=256m,nr_inodes=20000";
const TEMPORARY = ["/run", "/tmp", "/var/tmp"];
/** Replaced entirely. */
const PRIVATE = ["/dev", "/proc", ...TEMPORARY];

const NO_HOME: HomeView = { shown: [], caches: [], covered: [] };

export interface LayerOptions extends Pick<ContainmentOptions, "settings" | "hiddenFolders"> {
    /** Real paths. */
    readonly base: string;
    readonly root: string;
    /** `undefined` if there is none, or if the project is in the way. */
    readonly home?: string;
    readonly searchPath: string;
    /** Git's folder, if outside the project. */
    readonly gitFolder?: string;
}

export class Layers {
    private readonly view: HomeView;
    private runs = 0;
    private readonly mask: Mask;
    private readonly homeMask: Mask;
    private readonly gitMask: Mask;
    private readonly inHome: HiddenFiles;
    private readonly inGit: HiddenFiles;

    constructor(private readonly options: LayerOptions) {
        const { home, searchPath, settings } = options;
        this.view = home === undefined ? NO_HOME : homeView(home, searchPath, settings);
        this.mask = new Mask(options.base, options.root);
        this.homeMask = new Mask(options.base, home ?? "/", "home-mask");
        this.gitMask = new Mask(options.base, options.gitFolder ?? "/", "git-mask");
        const { shown, caches } = this.view;
        const places = { places: shown, except: caches, depth: 3 };
        this.inHome = new HiddenFiles(home ?? "/", { ...places, home });
        this.inGit = new HiddenFiles(options.gitFolder ?? "/", { prefix: ".git", home });
        this.prepare();
    }

    /** Creates a run's folders and mount table. */
    next(masked: Masked): RunFolders {
        const run = String(++this.runs);
        const folders = {
            run,
            project: `${run}/project`,
            git: `${run}/git`,
            home: `${run}/home`,
            exchange: `${run}/exchange`,
        };
        this.make(folders.exchange);
        this.placeSockets(run);
        const table = mountTable(this.mounts(folders, this.mask.over(masked)));
        writeFileSync(this.at(run, "fstab"), table);
        return folders;
    }

    /** Dangling links replace sockets: a link's access time shows that someone tried to use it. */
    private placeSockets(run: string): void {
        for (const socket of socketPaths()) {
            if (!isInside("/run", socket)) continue;
            const place = this.at(run, "sockets", path.relative("/run", socket));
            mkdirSync(path.dirname(place), { recursive: true });
            symlinkSync("/nowhere/hidden", place);
        }
    }

    /** A file system mounted inside the project would be missing from the overlay. */
    get foreignMount(): string | undefined {
        const { root } = this.options;
        return mountPoints().find((place) => place !== root && isInside(root, place));
    }

    /** Returns the display name of a real path if it is hidden. */
    nameHidden(place: string, hiddenFiles: readonly string[]): string | undefined {
        const { root, home } = this.options;
        if (isInside(root, place)) {
            const relative = path.relative(root, place);
            return hiddenFiles.includes(relative) ? relative : undefined;
        }
        if (home !== undefined && isInside(home, place)) {
            const isHidden = isHiddenInHome(home, this.view, this.inHome.list(), place);
            return isHidden ? `~/${path.relative(home, place)}` : undefined;
        }
        // These folders themselves are there, but private.
        const isHidden = TEMPORARY.some((folder) => folder !== place && isInside(folder, place));
        return isHidden ? place : undefined;
    }

    describe(hiddenFiles: readonly string[]): string[] {
        const { root, home, base } = this.options;
        const { shown, caches, covered } = this.view;
        const inHome = [...covered, ...this.inHome.list()].map((place) => `~/${place}`);
        const named = (places: readonly string[]) => places.join(", ") || "none";
        const seen = shown.length === 0 ? "empty" : `empty except for ${named(shown)}`;
        const discarded = caches.length === 0 ? "" : "; writes there are discarded";
        return [
            `project    ${root}, copy-on-write`,
            `hidden     ${named([...hiddenFiles, ...inHome])}`,
            `HOME       ${home ?? "none"}, ${seen}, read-only`,
            `caches     ${named(caches)}${discarded}`,
            `private    ${named(PRIVATE)}`,
            "network    only a private loopback",
            "elsewhere  read-only",
            `layers     ${path.dirname(base)}`,
        ];
    }

    private prepare(): void {
        const { home, root, gitFolder } = this.options;
        this.make(
            "writable",
            "lower",
            "git-lower",
            "home",
            "dev/pts",
            "dev/shm",
            "tmp",
            "empty-folder"
        );
        chmodSync(this.at("tmp"), 0o1777);
        writeFileSync(this.at("empty"), "", { mode: 0o000 });
        for (const name of DEVICES) writeFileSync(this.at("dev", name), "");
        symlinkSync("/proc/self/fd", this.at("dev/fd"));
        for (const [index, name] of ["stdin", "stdout", "stderr"].entries()) {
            symlinkSync(`/proc/self/fd/${index}`, this.at("dev", name));
        }
        symlinkSync("pts/ptmx", this.at("dev/ptmx"));
        if (home === undefined) return;
        for (const place of [root, gitFolder]) {
            if (place === undefined || !isInside(home, place)) continue;
            this.make(path.join("home", path.relative(home, place)));
        }
        for (const place of [...this.view.shown, ...this.view.caches]) {
            this.makeMountPoint(home, place);
        }
        this.view.caches.forEach((_, index) => this.make(`caches/${index}`));
    }

    private makeMountPoint(home: string, relative: string): void {
        const isFolder = statSync(path.join(home, relative)).isDirectory();
        const place = this.at("home", relative);
        this.make(path.join("home", isFolder ? relative : path.dirname(relative)));
        if (!isFolder) writeFileSync(place, "");
    }

    private mounts(folders: RunFolders, mask: string): Mount[] {
        const { root, gitFolder, home } = this.options;
        const git = gitFolder === undefined ? [] : [gitFolder];
        return [
            WRITABLE,
            bind(root, "lower"),
            ...git.map((place) => bind(place, "git-lower")),
            ...(home === undefined ? [] : this.homeMounts(home, folders)),
            ...this.coveringMounts(home, folders),
            ...git.map((place) =>
                overlay(place, [this.gitLayer(), "git-lower"], this.layered(folders.git, place))
            ),
            overlay(root, [mask, "lower"], this.layered(folders.project, root)),
            bind(folders.exchange, "/run/north", "rw"),
        ];
    }

    /** Assembled elsewhere, then moved over HOME once everything visible has been bound. */
    private homeMounts(home: string, folders: RunFolders): Mount[] {
        const { shown, caches, covered } = this.view;
        const masked = { secrets: this.inHome.list(), gitSettings: this.inHome.gitSettings() };
        const mask = this.homeMask.over(masked);
        const seen = `${folders.run}/seen`;
        this.make(seen);
        return [
            ...caches.map((place, index) => bind(path.join(home, place), `caches/${index}`)),
            overlay(seen, ["home"], this.layered(folders.home)),
            ...shown.map((place) => bind(path.join(home, place), `${seen}/${place}`)),
            ...[...covered, ...socketsIn(home, shown)].map((place) =>
                this.cover(path.join(home, place), `${seen}/${place}`)
            ),
            ...[...masked.secrets, ...masked.gitSettings]
                .filter((place) => isRealFile(path.join(home, place)))
                .map((place) => bind(`${mask}/${place}`, `${seen}/${place}`)),
            ...caches.map((place, index) =>
                overlay(
                    `${seen}/${place}`,
                    [`caches/${index}`],
                    this.layered(`${folders.run}/cache-${index}`)
                )
            ),
        ];
    }

    private coveringMounts(home: string | undefined, folders: RunFolders): Mount[] {
        const { base, hiddenFolders } = this.options;
        const own = [...PRIVATE, ...(home === undefined ? [] : [home])];
        const isCovered = (place: string) => own.some((folder) => isInside(folder, place));
        const isRoot = process.getuid?.() === 0;
        const hidden = [
            base,
            ...hiddenFolders,
            ...(isRoot ? [...SYSTEM_SECRETS, "/root"] : []),
            ...socketPaths(),
        ].filter((place) => !isCovered(place) && !isInside(this.options.root, place));
        return [
            ...DEVICES.map(device),
            bind("tmp", "/tmp", "rw"),
            bind("tmp", "/var/tmp", "rw"),
            emptyFolder("/run", `${MEMORY},mode=755`),
            { ...bind("dev", "/dev"), options: "rbind,ro,nosuid,dev" },
            {
                source: "devpts",
                target: "/dev/pts",
                type: "devpts",
                options: "newinstance,ptmxmode=0666,mode=620",
            },
            emptyFolder("/dev/shm", `${MEMORY},mode=1777`),
            ...hidden.filter(isThere).map((place) => this.cover(place)),
            ...(home === undefined ? [] : [bind(`${folders.run}/seen`, home, "rw")]),
        ];
    }

    private gitLayer(): string {
        return this.gitMask.over({
            secrets: this.inGit.list(),
            gitSettings: this.inGit.gitSettings(),
        });
    }

    private cover(place: string, target = place): Mount {
        return bind(isRealFolder(place) ? "empty-folder" : "empty", target);
    }

    /** Creates the folders of a writable layer; `upper` gets the times of what it covers. */
    private layered(folder: string, covered?: string): string {
        this.make(`${folder}/upper`, `${folder}/work`);
        if (covered !== undefined) copyTimes(covered, this.at(folder, "upper"));
        return folder;
    }

    private make(...folders: readonly string[]): void {
        for (const folder of folders) mkdirSync(this.at(folder), { recursive: true });
    }

    private at(...names: readonly string[]): string {
        return path.join(this.options.base, ...names);
    }
}

function socketsIn(home: string, shown: readonly string[]): string[] {
    return socketPaths()
        .map((place) => path.relative(home, place))
        .filter((place) => shown.some((folder) => isInside(folder, place)));
}

function isRealFolder(place: string): boolean {
    try {
        return lstatSync(place).isDirectory();
    } catch {
        return false;
    }
}

function isRealFile(place: string): boolean {
    return lstatSync(place, { throwIfNoEntry: false })?.isFile() ?? false;
}

function isThere(place: string): boolean {
    return lstatSync(place, { throwIfNoEntry: false }) !== undefined;
}
