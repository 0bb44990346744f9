import {
    chmodSync,
    closeSync,
    constants,
    copyFileSync,
    fstatSync,
    lstatSync,
    mkdirSync,
    openSync,
    readdirSync,
    readlinkSync,
    renameSync,
    rmdirSync,
    rmSync,
    symlinkSync,
    unlinkSync,
    utimesSync,
    type Stats,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { attempt } from "../../base/attempt.js";
import { errorCode } from "../../base/system-error.js";
import { beginApply, endApply, stagedName } from "./apply-owner.js";
import { OpenFolders, type OpenFolder } from "./folder.js";

/** A path to move or delete, relative to the root. */
interface MovedPath {
    readonly path: string;
    /** What was there when the command began; absent if it is new. */
    readonly before?: { readonly kind: OutputKind; readonly version: string };
    /** What the layer holds; absent if it was deleted. */
    readonly after?: { readonly kind: OutputKind; readonly mode: number };
}

type OutputKind = "file" | "link" | "folder";

/** Identifies a file's version without reading it. */
function versionOf({ ino, mtimeMs, size }: Stats): string {
    return `${ino} ${mtimeMs} ${size}`;
}

/**
 * Moves what a command left where git ignores it from its layer into the project, by renaming. A
 * folder that is not there yet takes one rename, whatever it holds; an existing one is merged.
 * Returns the paths that it left alone because they changed since the command began.
 */
export async function moveOutputs(
    root: string,
    layer: string,
    moved: readonly MovedPath[]
): Promise<readonly string[]> {
    const id = await beginApply();
    try {
        return await new OutputMove(root, layer, moved, stagedName(id, 0, "staged")).carryOut();
    } finally {
        endApply(id);
    }
}

class OutputMove {
    private readonly known: ReadonlyMap<string, MovedPath>;
    private readonly changed: string[] = [];

    constructor(
        private readonly root: string,
        private readonly layer: string,
        private readonly moved: readonly MovedPath[],
        private readonly staged: string
    ) {
        this.known = new Map(moved.map((each) => [each.path, each]));
    }

    async carryOut(): Promise<readonly string[]> {
        // What is deeper comes later in the list, and goes first.
        for (const each of this.moved.filter(isGone).reverse()) {
            await this.within(dirname(each.path), (folder) => this.remove(each, folder));
        }
        for (const { path, after } of this.moved) {
            if (after && !this.known.has(dirname(path))) {
                await this.placeAll(dirname(path), [basename(path)]);
            }
        }
        return this.changed;
    }

    private remove({ path, before }: MovedPath, folder: OpenFolder): void {
        const location = folder.at(basename(path));
        const stats = lstatSync(location, { throwIfNoEntry: false });
        if (!stats || !before) return;
        if (before.kind === "folder") return removeIfEmpty(location);
        if (versionOf(stats) === before.version) unlinkSync(location);
        else this.changed.push(path);
    }

    private async placeAll(parent: string, names: readonly string[]): Promise<void> {
        const merged = new Map<string, number>();
        await this.within(parent, (folder) => {
            for (const path of names.map((name) => join(parent, name))) {
                const mode = this.known.get(path)?.after && this.place(path, folder);
                if (mode !== undefined) merged.set(path, mode);
            }
        });
        for (const [path, mode] of merged) {
            await this.placeAll(path, readdirSync(join(this.layer, path)));
            await this.within(parent, (folder) => setMode(folder.at(basename(path)), mode));
        }
    }

    /** The mode of a folder to merge. */
    private place(path: string, folder: OpenFolder): number | undefined {
        try {
            return this.put(path, join(this.layer, path), folder);
        } catch (error) {
            if (!TAKEN.includes(errorCode(error) ?? "")) throw error;
            this.changed.push(path);
            return undefined;
        }
    }

    private put(path: string, from: string, folder: OpenFolder): number | undefined {
        const to = folder.at(basename(path));
        const known = this.known.get(path);
        const stats = lstatSync(to, { throwIfNoEntry: false });
        const isFolder = known?.after?.kind === "folder";
        if (isFolder && stats?.isDirectory()) {
            const mode = known.before ? known.after.mode : stats.mode & PERMISSIONS;
            setMode(from, mode | 0o700);
            return mode;
        }
        const before = known && !isGone(known) ? known.before?.version : undefined;
        if (before !== (stats && versionOf(stats))) {
            this.changed.push(path);
            return undefined;
        }
        if (rename(from, to)) return undefined;
        if (isFolder) {
            mkdirSync(to);
            return known.after.mode;
        }
        const staged = folder.at(this.staged);
        try {
            copy(from, staged);
            return this.put(path, staged, folder);
        } finally {
            rmSync(staged, { force: true });
        }
    }

    /**
     * Holds a folder, which is made if it is not there, and can be written to meanwhile: a command may
     * have opened it and closed it again. No link on the way to it is followed.
     */
    private async within(path: string, act: (folder: OpenFolder) => void): Promise<void> {
        const folders = new OpenFolders();
        try {
            let folder = await folders.open(this.root);
            let location = this.root;
            for (const name of path.split("/").filter((each) => each !== "" && each !== ".")) {
                location = join(location, name);
                folder = await folders.make(location);
            }
            const mode = lstatSync(folder.at(".")).mode & PERMISSIONS;
            setMode(folder.at("."), mode | 0o700);
            try {
                act(folder);
            } finally {
                setMode(folder.at("."), mode);
            }
        } finally {
            await folders.close();
        }
    }
}

const PERMISSIONS = 0o7777;
/** Something else is there, perhaps since a moment ago. */
const TAKEN = ["ENOTEMPTY", "EEXIST", "ENOTDIR", "EISDIR"];
/** Opens even what cannot be read; Node has no name for it. */
const O_PATH = 0o10000000;
const FOLDER = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;

function removeIfEmpty(path: string): void {
    try {
        rmdirSync(path);
    } catch (error) {
        if (!TAKEN.includes(errorCode(error) ?? "")) throw error;
    }
}

/** Only where it differs: others may own a folder. Follows no link that takes the folder's place. */
function setMode(path: string, mode: number): void {
    const descriptor = attempt(() => openSync(path, FOLDER));
    if (descriptor === undefined) return;
    try {
        const isSame = (fstatSync(descriptor).mode & PERMISSIONS) === mode;
        if (!isSame) chmodSync(`/proc/self/fd/${descriptor}`, mode);
    } finally {
        closeSync(descriptor);
    }
}

/** Deleted, or about to be replaced by something of another kind. */
function isGone({ before, after }: MovedPath): boolean {
    return before !== undefined && before.kind !== after?.kind;
}

/** `false` if the layer is on another file system. */
function rename(from: string, to: string): boolean {
    const mode = lstatSync(from).mode & PERMISSIONS;
    // Whoever moves a folder must be able to write to it.
    setMode(from, mode | 0o700);
    try {
        renameSync(from, to);
    } catch (error) {
        if (errorCode(error) !== "EXDEV") throw error;
        return false;
    }
    setMode(to, mode);
    return true;
}

function copy(from: string, to: string): void {
    const stats = lstatSync(from);
    if (stats.isSymbolicLink()) return symlinkSync(readlinkSync(from, "buffer"), to);
    copyFileSync(from, to);
    chmodSync(to, stats.mode & PERMISSIONS);
    utimesSync(to, stats.atime, stats.mtime);
}
