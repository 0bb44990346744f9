import type { StoredContents } from "../../base/stored-contents.js";
import type { ChangedFile } from "../../plugin/records.js";
import type { FileFacts } from "./file-tree.js";

type Kind = "file" | "link" | "folder" | "gone";

/** More of a file is not kept in memory. */
const KEPT_BYTES = 1024 * 1024;
const FOLDER_BITS = 0o777;
const FILE_BITS = 0o666;

let numbers = 0;

export class ViewEntry {
    readonly kind: Kind;
    readonly facts: ViewFacts;

    constructor(
        readonly file: ChangedFile,
        /** Its beginning, which is nearly always all of it. */
        readonly start: Buffer,
        size: number,
        now: number
    ) {
        const { type = "file", afterHash, modeAfter } = file;
        this.kind = afterHash === null ? "gone" : type;
        const bits = modeAfter ?? (type === "folder" ? FOLDER_BITS : FILE_BITS) & ~process.umask();
        this.facts = new ViewFacts(this.kind, size, bits, now);
    }

    /** Of a link. */
    get target(): string {
        return this.start.toString();
    }

    beginning(maxBytes: number) {
        const { size } = this.facts;
        return { bytes: this.start.subarray(0, maxBytes), isWhole: size <= maxBytes };
    }
}

/** As lstat(2) would tell it. */
export class ViewFacts implements FileFacts {
    readonly ctimeMs: number;

    constructor(
        private readonly kind: Kind,
        readonly size: number,
        readonly mode: number,
        readonly mtimeMs: number,
        /** No file on disk has a negative one. */
        readonly ino = --numbers
    ) {
        this.ctimeMs = mtimeMs;
    }

    /** A folder that changed when its names did, on disk or in the view. */
    static folder(
        entry: ViewFacts | undefined,
        onDisk: FileFacts | undefined,
        changedAt = 0
    ): ViewFacts {
        const mode = entry?.mode ?? onDisk?.mode ?? FOLDER_BITS & ~process.umask();
        const time = Math.max(changedAt, onDisk?.ctimeMs ?? 0, onDisk?.mtimeMs ?? 0);
        return new ViewFacts("folder", 0, mode, time, onDisk?.ino ?? 0);
    }

    isFile = () => this.kind === "file";
    isDirectory = () => this.kind === "folder";
    isSymbolicLink = () => this.kind === "link";
    isFIFO = () => false;
    isSocket = () => false;
}

/** What changes in a folder, in it or further down. */
interface FolderChanges {
    readonly names: Set<string>;
    /** Something is there that makes the folder exist. */
    hasAny: boolean;
    changedAt: number;
}

/** The changed paths of a view, all relative to the root. */
export class ViewEntries {
    private constructor(
        readonly view: ReadonlyMap<string, ChangedFile>,
        private readonly contents: StoredContents,
        private readonly entries: ReadonlyMap<string, ViewEntry>,
        private readonly folders: ReadonlyMap<string, FolderChanges>
    ) {}

    static none(contents: StoredContents): ViewEntries {
        return new ViewEntries(new Map(), contents, new Map(), new Map());
    }

    /** The entries of another view; those that are the same keep their times. */
    async next(view: ReadonlyMap<string, ChangedFile>): Promise<ViewEntries> {
        const now = Date.now();
        const entries = new Map<string, ViewEntry>();
        const folders = new Map<string, FolderChanges>();
        for (const [path, { changedAt }] of this.folders) {
            folders.set(path, { names: new Set(), hasAny: false, changedAt });
        }
        for (const [path, file] of view) {
            const known = this.entries.get(path);
            const isKnown = known && isSameAfter(known.file, file);
            entries.set(path, isKnown ? known : await this.read(file, now));
        }
        for (const path of new Set([...this.entries.keys(), ...view.keys()])) {
            const entry = entries.get(path);
            noteAbove(folders, path, entry, entry === this.entries.get(path) ? 0 : now);
        }
        return new ViewEntries(view, this.contents, entries, folders);
    }

    at(path: string): ViewEntry | undefined {
        return this.entries.get(path);
    }

    /** `undefined` for a folder without any. */
    changesIn(folder: string): FolderChanges | undefined {
        return this.folders.get(folder);
    }

    /** Whether something above a path hides what the disk has there. */
    covers(path: string): boolean {
        for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
            const kind = this.entries.get(path.slice(0, end))?.kind;
            if (kind !== undefined && kind !== "folder") return true;
        }
        return false;
    }

    /** Of a file or a link. */
    async contentOf({ file: { afterHash }, start, facts }: ViewEntry): Promise<Uint8Array> {
        const isWhole = start.length === facts.size;
        return isWhole ? start : this.contents.get(afterHash ?? "");
    }

    private async read(file: ChangedFile, now: number): Promise<ViewEntry> {
        const { type, afterHash } = file;
        const content =
            afterHash === null || type === "folder"
                ? Buffer.alloc(0)
                : Buffer.from(await this.contents.get(afterHash));
        const isKept = content.length <= KEPT_BYTES;
        const start = isKept ? content : Buffer.from(content.subarray(0, KEPT_BYTES));
        return new ViewEntry(file, start, content.length, now);
    }
}

function isSameAfter(one: ChangedFile, other: ChangedFile): boolean {
    return (
        one.afterHash === other.afterHash &&
        one.modeAfter === other.modeAfter &&
        one.type === other.type
    );
}

/** Notes a path in all folders above it. */
function noteAbove(
    folders: Map<string, FolderChanges>,
    path: string,
    entry: ViewEntry | undefined,
    changedAt: number
): void {
    let current = path;
    while (current !== "") {
        const end = current.lastIndexOf("/");
        const folder = current.slice(0, Math.max(end, 0));
        const changes = folders.get(folder) ?? { names: new Set(), hasAny: false, changedAt: 0 };
        if (entry) changes.names.add(current.slice(end + 1));
        if (entry && entry.kind !== "gone") changes.hasAny = true;
        changes.changedAt = Math.max(changes.changedAt, changedAt);
        folders.set(folder, changes);
        current = folder;
    }
}
