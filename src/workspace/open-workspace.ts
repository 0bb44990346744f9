import { join } from "node:path";
import { NorthError } from "../base/north-error.js";
import { isSecretFile } from "../base/secrets/secret-files.js";
import type {
    FileActivity,
    FileContent,
    FileLines,
    FileStatus,
    FindResult,
    FolderEntry,
    SearchOptions,
    SearchResult,
    Workspace,
} from "../plugin/workspace.js";
import { gitActivity } from "./git-activity.js";
import { isInDependencies } from "./ignore/always-ignored.js";
import { IgnoreList } from "./ignore/ignore-list.js";
import { find } from "./listing/find.js";
import { listFolder } from "./listing/list-folder.js";
import { factsOf, sizeIn, versionIn } from "./listing/facts.js";
import { Walker } from "./listing/walk.js";
import { nearPaths } from "../base/near-name.js";
import { openRegularFile, type OpenFile, readAll } from "./open-file.js";
import { LineReader } from "./read-lines.js";
import {
    meantPath,
    relativePath,
    resolveInside,
    type ResolvedPath,
    statusOf,
} from "./safe-path.js";
import { filesOnDisk, type FileTree } from "./tree/file-tree.js";
import { ViewTree } from "./tree/view-tree.js";
import type { Reader, SharedWorkspace, ViewSource } from "./shared-workspace.js";
import { checkPattern, requireSensible } from "./search/check-pattern.js";
import type { LineSearch } from "./search/line-search.js";
import { searchFile, searchTree, type SearchSettings } from "./search/search-tree.js";

interface WorkspaceOptions extends Reader {
    /** The real, absolute path of the repository root, as returned by `findRoot`. */
    readonly root: string;
    /** North's own folders, absolute; never read. */
    readonly ownFolders?: readonly string[];
    /** Use ripgrep if available; defaults to true. */
    readonly useRipgrep?: boolean;
    readonly searchLimitMs?: number;
}

const SEARCH_LIMIT_MS = 30_000;

export function openWorkspace(options: WorkspaceOptions): SharedWorkspace {
    return new LocalWorkspace(options, { project: lookAt(options, filesOnDisk) }, new Set());
}

/** What readers of the same files share. */
interface Look {
    readonly files: FileTree;
    readonly ignoreList: IgnoreList;
    readonly walker: Walker;
    readonly lineReader: LineReader;
}

/** The files on disk, and the view that is read instead once it changes something. */
interface Looks {
    readonly project: Look;
    readonly view?: { readonly source: ViewSource; readonly tree: ViewTree; readonly look: Look };
}

function lookAt({ root, ownFolders }: WorkspaceOptions, files: FileTree): Look {
    const ignoreList = new IgnoreList(root, ownFolders, files);
    const walker = new Walker(root, ignoreList, files);
    return { files, ignoreList, walker, lineReader: new LineReader() };
}

class LocalWorkspace implements SharedWorkspace {
    readonly root: string;
    private look: Look;

    constructor(
        private readonly options: WorkspaceOptions,
        private readonly looks: Looks,
        /** Secrets allowed so far: a tree search never asks. */
        private readonly permitted: Set<string>
    ) {
        this.root = options.root;
        this.look = looks.view?.look ?? looks.project;
    }

    readBy(reader: Reader): Workspace {
        return new LocalWorkspace({ ...this.options, ...reader }, this.looks, this.permitted);
    }

    inView(source: ViewSource): SharedWorkspace {
        const tree = new ViewTree(this.root, source.contents);
        const view = { source, tree, look: lookAt(this.options, tree) };
        return new LocalWorkspace(this.options, { ...this.looks, view }, this.permitted);
    }

    relative(path: string): string {
        return relativePath(this.root, meantPath(this.root, path, this.tree));
    }

    async status(path: string): Promise<FileStatus | null> {
        await this.show();
        return statusOf(this.root, meantPath(this.root, path, this.tree), this.tree);
    }

    async read(path: string, options: { maxBytes?: number } = {}): Promise<FileContent> {
        await this.show();
        const file = await this.open(path);
        try {
            const content = await readAll(file, options.maxBytes);
            this.options.onFile?.(content.path);
            return { ...content, ...(await this.mark(content.path)) };
        } finally {
            await file.handle.close();
        }
    }

    async readLines(
        path: string,
        range: { readonly start: number; readonly end: number },
        { signal }: { readonly signal?: AbortSignal } = {}
    ): Promise<FileLines> {
        await this.show();
        const file = await this.open(path);
        try {
            const lines = await this.look.lineReader.read(file, range, signal);
            this.options.onFile?.(lines.path);
            return { ...lines, ...(await this.mark(lines.path)) };
        } finally {
            await file.handle.close();
        }
    }

    async list(path: string): Promise<readonly FolderEntry[]> {
        await this.show();
        const resolved = await this.visible(path, "dir");
        return listFolder(this.root, resolved, this.look.ignoreList, this.tree);
    }

    async files(options: { signal?: AbortSignal } = {}): Promise<readonly string[]> {
        await this.show();
        return (await this.look.walker.list(options.signal)).files;
    }

    async sizes(
        paths: readonly string[],
        options: { signal?: AbortSignal } = {}
    ): Promise<ReadonlyMap<string, number>> {
        await this.show();
        return factsOf({ root: this.root, tree: this.tree }, sizeIn, paths, options.signal);
    }

    async versions(
        paths: readonly string[],
        options: { signal?: AbortSignal } = {}
    ): Promise<ReadonlyMap<string, string>> {
        await this.show();
        return factsOf({ root: this.root, tree: this.tree }, versionIn, paths, options.signal);
    }

    async find(
        pattern: string,
        options: { limit: number; signal?: AbortSignal }
    ): Promise<FindResult> {
        await this.show();
        const { files } = await this.look.walker.list(options.signal);
        return find(files, pattern, options);
    }

    async search(query: string, options: SearchOptions): Promise<SearchResult> {
        options.signal?.throwIfAborted();
        requireSensible(options);
        const isRegex = options.regex ?? false;
        await checkPattern(query, { isRegex });
        await this.show();
        const { limit, lineRange } = options;
        const search = { query, isRegex, root: this.root, limit, lineRange };
        return options.file === undefined
            ? this.searchFolder(search, options)
            : this.searchOneFile(search, options.file, options);
    }

    async activity(
        options: { signal?: AbortSignal } = {}
    ): Promise<readonly FileActivity[] | null> {
        await this.show();
        const listed = new Set((await this.look.walker.list(options.signal)).files);
        return gitActivity(this.root, (path) => listed.has(path), options.signal);
    }

    async isIgnored(path: string, type: "file" | "dir"): Promise<boolean> {
        await this.show();
        return this.look.ignoreList.isIgnored(this.relative(path), type);
    }

    /** Each read is of the view of its moment; an empty one is the project itself. */
    private async show(): Promise<void> {
        const { project, view } = this.looks;
        const changes = view?.source.view();
        const isEmpty = view === undefined || !changes?.size;
        if (!isEmpty) await view.tree.show(changes);
        this.look = isEmpty ? project : view.look;
    }

    private get tree(): FileTree {
        return this.look.files;
    }

    private async searchFolder(
        search: Omit<LineSearch, "files">,
        options: SearchOptions
    ): Promise<SearchResult> {
        const resolved = await this.visible(options.path ?? "", "dir");
        const { type } = (await statusOf(this.root, resolved.absolute, this.tree)) ?? {
            type: "file",
        };
        if (type !== "dir") throw notAFolder(resolved.path);
        // Below a link, files are listed under their real names.
        const folder = this.relative(resolved.absolute);
        const { files, ignored } = await this.look.walker.below(folder, options.signal);
        const isAllowed = (path: string) => !this.isSecret(path) || this.permitted.has(path);
        const result = await searchTree(
            { ...search, files },
            { folder, ignored, isAllowed, tree: this.tree },
            this.searchSettings(options)
        );
        return ignored ? result : { ...result, ignored: true };
    }

    private async searchOneFile(
        search: Omit<LineSearch, "files">,
        path: string,
        options: SearchOptions
    ): Promise<SearchResult> {
        const file = await this.open(path);
        try {
            const inFile = { ...search, files: [file.path], descriptor: file.handle.fd };
            const result = await searchFile(inFile, file, this.searchSettings(options));
            this.options.onFile?.(this.relative(path));
            return { ...result, ...(await this.mark(path)) };
        } finally {
            await file.handle.close();
        }
    }

    private async mark(path: string): Promise<{ readonly ignored?: true }> {
        return (await this.isIgnored(path, "file")) ? { ignored: true } : {};
    }

    private searchSettings({ contextLines = 0, signal }: SearchOptions): SearchSettings {
        const { useRipgrep = true, searchLimitMs = SEARCH_LIMIT_MS } = this.options;
        return { contextLines, useRipgrep, limitMs: searchLimitMs, signal };
    }

    /** Opens an existing file, unless ignored, or secret without the user's permission. */
    private async open(path: string): Promise<OpenFile> {
        const resolved = await this.visible(path, "file");
        const real = this.relative(resolved.absolute);
        for (const name of new Set([resolved.path, real])) {
            if (this.isSecret(name)) await this.requirePermission(name);
        }

        const file = await openRegularFile(this.root, resolved.path, this.tree);
        if (file.absolute !== resolved.absolute) {
            await file.handle.close();
            throw new NorthError("not-readable", `${resolved.path} changed while it was opened.`, [
                "Try again.",
            ]);
        }
        return file;
    }

    private isSecret(name: string): boolean {
        return isSecretFile(name, join(this.root, name), this.tree.readRegularFile);
    }

    /**
     * Resolves a path; rejects if it does not exist. If either name is ignored, it must be in a
     * dependency or build folder, or the user must permit reading it.
     */
    private async visible(path: string, type: "file" | "dir"): Promise<ResolvedPath> {
        const resolved = await resolveInside(
            this.root,
            meantPath(this.root, path, this.tree),
            this.tree
        );
        const real = this.relative(resolved.absolute);
        for (const name of new Set([resolved.path, real])) {
            if (await this.look.ignoreList.isClosed(name)) throw closed(name);
            const isIgnored = await this.look.ignoreList.isIgnored(name, type);
            if (isIgnored && !isInDependencies(name, type)) {
                const isFile = type === "file" && resolved.exists;
                if (!isFile || !(await this.isPermitted(name, "ignored"))) throw ignored(name);
            }
        }
        if (!resolved.exists) throw await this.notFound(resolved.path, type);
        return resolved;
    }

    private async requirePermission(path: string): Promise<void> {
        if (!(await this.isPermitted(path, "secret"))) {
            throw new NorthError("secret-file", `${path} looks like a secret and was not read.`, [
                "Only the user can allow it, when asked.",
            ]);
        }
    }

    private async isPermitted(path: string, reason: "secret" | "ignored"): Promise<boolean> {
        if (this.permitted.has(path)) return true;
        const isAllowed = (await this.options.permitSecret?.(path, reason)) ?? false;
        if (isAllowed) this.permitted.add(path);
        return isAllowed;
    }

    private async notFound(path: string, type: "file" | "dir"): Promise<NorthError> {
        const near = type === "file" ? nearPaths(path, (await this.look.walker.list()).files) : [];
        const kind = type === "file" ? "file" : "folder";
        return new NorthError(
            "not-found",
            `There is no ${kind} ${path}.`,
            near.length > 0 ? [`Did you mean ${near.join(", ")}?`] : []
        );
    }
}

function closed(path: string): NorthError {
    return new NorthError("ignored", `${path} belongs to git or to North and was not read.`, [
        "Nobody can allow it; use git commands to look into the repository.",
    ]);
}

function ignored(path: string): NorthError {
    return new NorthError("ignored", `${path} is ignored and was not read.`, [
        "Only the user can allow it, when asked; leave ignored files alone otherwise.",
    ]);
}

function notAFolder(path: string): NorthError {
    return new NorthError("not-a-folder", `${path} is a file, not a folder.`, [
        "Name a folder, or search in it as a file.",
    ]);
}
