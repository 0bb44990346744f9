import { type FileType, typeAfter, typeBefore } from "../../plugin/change-set.js";
import type { ChangedFile } from "../../plugin/index.js";
import { partnersOf } from "../diff/compare-lines.js";
import { linesOf } from "../diff/hunks.js";
import type { ContentStore } from "../conversation/content-store.js";
import type { AppliedChange } from "./applied-changes.js";
import { inRanges } from "./line-ranges.js";
import { ownValue } from "../../base/fields.js";

export interface WrittenLine {
    readonly change: AppliedChange;
    /** The file that the change wrote it to. */
    readonly path: string;
    /** Its number there, from 1. */
    readonly line: number;
    /** Whether a review showed it whole before the user approved it. */
    readonly isShown: boolean;
}

/** `undefined` if North did not write the line. */
export type LineOrigin = WrittenLine | undefined;

/** A file at one point in time: its lines including line ends, and the origin of each. */
interface KnownFile {
    /** SHA-256 in hex; `null` if the file does not exist. */
    readonly hash: string | null;
    readonly lines: readonly string[];
    readonly origins: readonly LineOrigin[];
    /** Its content is no longer stored. */
    readonly isLost?: boolean;
}

interface BlameRequest {
    readonly path: string;
    /** The current content, and its SHA-256 in hex. */
    readonly bytes: Uint8Array;
    readonly hash: string;
    /** All changes of the repository, oldest first. */
    readonly changes: readonly AppliedChange[];
    readonly contents: ContentStore;
}

interface BlameResult {
    /** One per line. */
    readonly origins: readonly LineOrigin[];
    /** Number of changes that could not be followed because the content is no longer stored. */
    readonly lost: number;
}

/**
 * Follows a file through its changes. If its content differs from what the last change left,
 * someone else edited it in between, and new lines are theirs. Lines restored by an undo, a drop or
 * a rename keep their original origin.
 */
export async function blame(request: BlameRequest): Promise<BlameResult> {
    const { path, hash, bytes, contents } = request;
    const paths = formerPaths(request.changes, path);
    const changes = request.changes.filter(({ change }) =>
        change.files.some((file) => paths.has(file.path))
    );
    const undone = new Set(changes.flatMap(({ change }) => change.undoes ?? []));
    const history = new FileHistory(contents, undone);
    for (const [index, change] of changes.entries()) {
        const files = change.change.files.filter((file) => paths.has(file.path));
        const next = (file: ChangedFile) =>
            nextHash(changes.slice(index + 1), file.path) ??
            (file.path === path ? hash : undefined);
        await history.apply(change, change.isRecorded ? files : writtenFiles(files, next));
    }
    const { origins } = history.stateAsFound(path, hash, { lines: linesOf(bytes) });
    return { origins, lost: history.lost };
}

/** The files that an unrecorded change actually wrote, judging by their later content. */
function writtenFiles(
    files: readonly ChangedFile[],
    next: (file: ChangedFile) => string | null | undefined
): readonly ChangedFile[] {
    const isMade = files.some(
        (file) => file.afterHash !== file.beforeHash && next(file) === file.afterHash
    );
    return isMade ? files.filter((file) => next(file) !== file.beforeHash) : [];
}

const MAX_SOURCES = 20;

/** Paths the file may have been renamed from: files deleted by the change that created it. */
function formerPaths(changes: readonly AppliedChange[], path: string): ReadonlySet<string> {
    const paths = new Set([path]);
    for (const { change } of changes.toReversed()) {
        const created = change.files.filter(
            ({ path, beforeHash }) => beforeHash === null && paths.has(path)
        );
        if (created.length === 0) continue;
        for (const source of sourcesOf(change.files, created)) paths.add(source.path);
    }
    return paths;
}

function sourcesOf(
    files: readonly ChangedFile[],
    created: readonly ChangedFile[]
): readonly ChangedFile[] {
    const deleted = files.filter(({ type, afterHash }) => afterHash === null && type === undefined);
    const same = deleted.filter((file) =>
        created.some(({ afterHash }) => afterHash === file.beforeHash)
    );
    return same.length > 0 ? same : deleted.slice(0, MAX_SOURCES);
}

/** The file's hash when it was next seen; `undefined` if it never was. */
function nextHash(later: readonly AppliedChange[], path: string): string | null | undefined {
    for (const { change } of later) {
        const file = change.files.find((file) => file.path === path);
        if (file) return file.beforeHash;
    }
    return undefined;
}

type Content = Pick<KnownFile, "lines" | "isLost">;

const NO_FILE: KnownFile = { hash: null, lines: [], origins: [] };

class FileHistory {
    lost = 0;
    private readonly states = new Map<string, KnownFile>();
    /** File states from before changes that were undone later. */
    private readonly beforeUndone = new Map<string, KnownFile>();
    /** States of files in drafts, by the change that led to them and by their hash. */
    private readonly drafted = new Map<string, KnownFile>();

    constructor(
        private readonly contents: ContentStore,
        private readonly undone: ReadonlySet<string>
    ) {}

    async apply(change: AppliedChange, files: readonly ChangedFile[]): Promise<void> {
        const { id, undoes = [], applies = [] } = change.change;
        const before = new Map<string, KnownFile>();
        for (const file of files) {
            const { path, beforeHash } = file;
            const draft = change.isDrafted ? this.drafted.get(`${beforeHash} ${path}`) : undefined;
            const state = draft ?? (await this.stateBefore(file));
            before.set(file.path, state);
            if (this.undone.has(id)) this.beforeUndone.set(`${id} ${file.path}`, state);
        }
        for (const file of files) {
            const restored = undoes
                .map((undone) => this.beforeUndone.get(`${undone} ${file.path}`))
                .find((state) => state !== undefined);
            const after = await this.content(file.afterHash, typeAfter(file));
            const state = before.get(file.path) ?? NO_FILE;
            const last = applies.findLast((part) => this.drafted.has(`${part} ${file.path}`));
            const draft = this.drafted.get(`${last} ${file.path}`);
            const source = restored ?? draft ?? renamed(file, after.lines, files, before);
            const origins = originsAfter(file.afterHash, after.lines, state, source);
            const next: KnownFile = {
                hash: file.afterHash,
                ...after,
                origins: shownIn(
                    change,
                    file,
                    origins.map((origin, index) => {
                        if (origin !== NEW) return origin;
                        if (state.isLost) return undefined;
                        return { change, path: file.path, line: index + 1, isShown: false };
                    })
                ),
            };
            if (change.isDrafted) {
                this.drafted.set(`${id} ${file.path}`, next);
                this.drafted.set(`${file.afterHash} ${file.path}`, next);
            } else {
                this.states.set(file.path, next);
                // The next draft starts from here, and keeps what the review showed.
                this.drafted.delete(`${file.afterHash} ${file.path}`);
            }
        }
    }

    /** The state of a file as found: new lines in it have no known origin. */
    stateAsFound(path: string, hash: string | null, content: Content): KnownFile {
        const state = this.states.get(path) ?? NO_FILE;
        if (state.hash === hash) return state;
        const origins = carryOrigins(state, content.lines).map((origin) =>
            origin === NEW ? undefined : origin
        );
        return { hash, ...content, origins };
    }

    private async stateBefore(file: ChangedFile): Promise<KnownFile> {
        const { path, beforeHash } = file;
        const state = this.states.get(path) ?? NO_FILE;
        if (state.hash === beforeHash) return state;
        return this.stateAsFound(
            path,
            beforeHash,
            await this.content(beforeHash, typeBefore(file))
        );
    }

    private async content(hash: string | null, type: FileType): Promise<Content> {
        if (hash === null || type !== "file") return { lines: [] };
        try {
            return { lines: linesOf(await this.contents.get(hash)) };
        } catch {
            this.lost += 1;
            return { lines: [], isLost: true };
        }
    }
}

/** Marks the lines that were shown in the review of a change, which may be that of a draft. */
function shownIn(
    { shown = {} }: AppliedChange,
    { path }: ChangedFile,
    origins: readonly LineOrigin[]
): readonly LineOrigin[] {
    const ranges = ownValue(shown, path);
    if (ranges === undefined) return origins;
    const isShown = inRanges(ranges);
    return origins.map((origin, index) =>
        origin && isShown(index + 1) ? { ...origin, isShown: true } : origin
    );
}

/** A line that no earlier state had. */
const NEW = Symbol("new");
type CarriedOrigin = LineOrigin | typeof NEW;

function originsAfter(
    hash: string | null,
    lines: readonly string[],
    state: KnownFile,
    source: KnownFile | undefined
): readonly CarriedOrigin[] {
    if (source?.hash === hash) return source.origins;
    const origins = carryOrigins(state, lines);
    if (!source) return origins;
    const restored = carryOrigins(source, lines);
    return origins.map((origin, index) => (origin === NEW ? restored[index] : origin));
}

/** The origins of lines, carried over from a state where they match. */
function carryOrigins(state: KnownFile, lines: readonly string[]): CarriedOrigin[] {
    const origins = lines.map((): CarriedOrigin => NEW);
    for (const [line, index] of partnersOf(state.lines, lines).entries()) {
        if (index !== -1) origins[index] = state.origins[line];
    }
    return origins;
}

/** The file deleted by the same change that has at least half of the new file's lines. */
function renamed(
    { beforeHash, afterHash }: ChangedFile,
    lines: readonly string[],
    files: readonly ChangedFile[],
    before: ReadonlyMap<string, KnownFile>
): KnownFile | undefined {
    if (beforeHash !== null || afterHash === null) return undefined;
    let [best, mostEqual] = [undefined as KnownFile | undefined, lines.length / 2];
    for (const { path, afterHash: left } of files) {
        const state = before.get(path);
        if (left !== null || !state) continue;
        if (state.hash === afterHash) return state;
        const equal = carryOrigins(state, lines).filter((origin) => origin !== NEW).length;
        if (equal >= mostEqual && equal > 0) [best, mostEqual] = [state, equal];
    }
    return best;
}
