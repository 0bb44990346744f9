import { readdirSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { attempt } from "../../base/attempt.js";
import type { StoredContents } from "../../base/stored-contents.js";
import { readRegularFile } from "../../base/read-regular-file.js";
import { errorCode } from "../../base/system-error.js";
import type { ChangedFile } from "../../plugin/records.js";
import { type FileFacts, filesOnDisk, type FileTree, type FolderName } from "./file-tree.js";
import { MemoryHandle } from "./memory-handle.js";
import { ViewEntries, type ViewEntry, ViewFacts } from "./view-entries.js";

/** Max chained links, as on Linux. */
const MAX_LINKS = 40;

/** The files of a view: those it changes are answered from memory, all others from the disk. */
export class ViewTree implements FileTree {
    private entries: ViewEntries;
    private readonly prefix: string;

    constructor(
        private readonly root: string,
        contents: StoredContents
    ) {
        this.entries = ViewEntries.none(contents);
        this.prefix = root === "/" ? root : `${root}/`;
    }

    /** From now on shows this view. Rejects with `object-missing` or `object-damaged`. */
    async show(view: ReadonlyMap<string, ChangedFile>): Promise<void> {
        if (this.entries.view !== view) this.entries = await this.entries.next(view);
    }

    async realpath(location: string): Promise<string> {
        return this.real(location);
    }

    async lstat(location: string): Promise<FileFacts> {
        return this.lstatSync(location) ?? fail("ENOENT", location);
    }

    async readlink(location: string): Promise<string> {
        return this.linkAt(location);
    }

    async readdir(location: string): Promise<readonly string[]> {
        return this.readdirSync(location).map(({ name }) => name);
    }

    async open(file: Parameters<FileTree["open"]>[0]) {
        const path = this.pathOf(file.absolute) ?? "";
        const entry = this.entries.at(path);
        if (entry?.kind === "file") {
            const handle = new MemoryHandle(await this.entries.contentOf(entry));
            return { handle, stats: entry.facts };
        }
        // A folder that only the view has is refused like one on disk.
        const facts =
            this.entries.changesIn(path) || entry ? this.lstatSync(file.absolute) : undefined;
        if (facts?.isDirectory()) return { handle: new MemoryHandle(Buffer.of()), stats: facts };
        return entry || this.entries.covers(path) ? undefined : filesOnDisk.open(file);
    }

    /** The folder of the path must be real, as links on the way are looked for on disk only. */
    lstatSync(location: string): FileFacts | undefined {
        const path = this.pathOf(location);
        if (path === undefined) return filesOnDisk.lstatSync(location);
        const entry = this.entries.at(path);
        if (entry && entry.kind !== "gone" && entry.kind !== "folder") return entry.facts;
        const changes = this.entries.changesIn(path);
        if (entry === undefined && changes === undefined) {
            return this.entries.covers(path) ? undefined : filesOnDisk.lstatSync(location);
        }
        const isShown = entry?.kind === "folder" || changes?.hasAny === true;
        const isCovered = entry?.kind === "gone" || this.entries.covers(path);
        const onDisk = isCovered ? undefined : onDiskAt(location);
        if (!onDisk?.isDirectory() && !isShown) return onDisk;
        return ViewFacts.folder(entry?.facts, onDisk, changes?.changedAt);
    }

    statSync(location: string): FileFacts | undefined {
        try {
            return this.lstatSync(this.real(location));
        } catch (error) {
            if (["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "")) return undefined;
            throw error;
        }
    }

    existsSync(location: string): boolean {
        return attempt(() => this.statSync(location) !== undefined, false);
    }

    readdirSync(location: string): readonly FolderName[] {
        const path = this.pathOf(location);
        if (path === undefined) return filesOnDisk.readdirSync(location);
        const facts = this.lstatSync(location) ?? fail("ENOENT", location);
        if (!facts.isDirectory()) fail("ENOTDIR", location);
        const changes = this.entries.changesIn(path);
        const isCovered = this.entries.at(path)?.kind === "gone" || this.entries.covers(path);
        const onDisk = isCovered ? [] : namesOnDisk(location);
        if (changes === undefined) return onDisk;
        const changed = [...changes.names].flatMap((name) => {
            const child = this.lstatSync(join(location, name));
            return child ? [folderName(name, child)] : [];
        });
        return [...onDisk.filter(({ name }) => !changes.names.has(name)), ...changed];
    }

    readonly readRegularFile: typeof readRegularFile = (location, maxBytes, links) => {
        if (typeof location !== "string") return readRegularFile(location, maxBytes, links);
        try {
            const real = links === "follow" ? this.real(location) : location;
            const path = this.pathOf(real) ?? "";
            const entry = this.entries.at(path);
            if (entry?.kind === "file") return entry.beginning(maxBytes);
            if (entry || this.entries.covers(path)) return undefined;
            return readRegularFile(real, maxBytes, links);
        } catch {
            return undefined;
        }
    };

    filesBeside(): readonly string[] {
        const paths = [...this.entries.view.keys()];
        return paths.flatMap((path) =>
            this.entries.at(path)?.kind === "file" ? this.prefix + path : []
        );
    }

    contentBeside(location: string): Promise<Uint8Array> | undefined {
        const entry = this.entryAt(location);
        return entry?.kind === "file" ? this.entries.contentOf(entry) : undefined;
    }

    private entryAt(location: string): ViewEntry | undefined {
        const path = this.pathOf(location);
        return path === undefined ? undefined : this.entries.at(path);
    }

    /** Relative to the root; `undefined` outside. */
    private pathOf(location: string): string | undefined {
        if (location.startsWith(this.prefix)) return location.slice(this.prefix.length);
        return location === this.root ? "" : undefined;
    }

    private real(location: string): string {
        let rest = this.pathOf(posix.normalize(location))?.split("/");
        if (rest === undefined) return realpathSync(location);
        let current = this.root;
        let linksLeft = MAX_LINKS;
        for (let name = rest.shift(); name !== undefined; name = rest.shift()) {
            if (name === "" || name === ".") continue;
            const next = name === ".." ? dirname(current) : join(current, name);
            const facts = this.lstatSync(next) ?? fail("ENOENT", location);
            if (facts.isSymbolicLink()) {
                if (--linksLeft < 0) fail("ELOOP", location);
                const target = this.linkAt(next);
                const path = target.startsWith("/") ? this.pathOf(target) : undefined;
                if (target.startsWith("/") && path === undefined) {
                    return realpathSync(join(target, ...rest));
                }
                if (path !== undefined) current = this.root;
                rest = [...(path ?? target).split("/"), ...rest];
                continue;
            }
            if (rest.length > 0 && !facts.isDirectory()) fail("ENOTDIR", location);
            current = next;
        }
        return current;
    }

    private linkAt(location: string): string {
        const entry = this.entryAt(location);
        if (entry?.kind === "link") return entry.target;
        if (entry) fail(entry.kind === "gone" ? "ENOENT" : "EINVAL", location);
        return readlinkSync(location);
    }
}

/** The files of one view. Rejects with `object-missing` or `object-damaged`. */
export async function viewTree(
    root: string,
    {
        files,
        contents,
    }: { readonly files: ReadonlyMap<string, ChangedFile>; readonly contents: StoredContents }
): Promise<FileTree> {
    const tree = new ViewTree(root, contents);
    await tree.show(files);
    return tree;
}

/** Only the view may have the folder above it. */
function onDiskAt(location: string): FileFacts | undefined {
    try {
        return filesOnDisk.lstatSync(location);
    } catch (error) {
        if (errorCode(error) === "ENOTDIR") return undefined;
        throw error;
    }
}

function namesOnDisk(location: string): readonly FolderName[] {
    try {
        return readdirSync(location, { withFileTypes: true });
    } catch (error) {
        // Only the view has the folder.
        if (["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "")) return [];
        throw error;
    }
}

function folderName(name: string, facts: FileFacts): FolderName {
    return {
        name,
        isFile: () => facts.isFile(),
        isDirectory: () => facts.isDirectory(),
        isSymbolicLink: () => facts.isSymbolicLink(),
    };
}

function fail(code: "EINVAL" | "ELOOP" | "ENOENT" | "ENOTDIR", location: string): never {
    throw Object.assign(new Error(`${code}: ${location}`), { code });
}
