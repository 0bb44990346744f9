import { join } from "node:path";
import { untilAborted } from "../../base/waiting.js";
import { closedFolders } from "../closed-places.js";
import { hasGit } from "../find-root.js";
import { filesOnDisk } from "../tree/file-tree.js";
import { runGit } from "../../base/git.js";
import { ALWAYS_IGNORED_FOLDERS, isBuildOutput, isVersionControl } from "./always-ignored.js";
import {
    type GitSettings,
    NOTHING_TRACKED,
    readGitSettings,
    TrackedFiles,
} from "./git-settings.js";
import type { IgnoreLayer } from "./ignore-pattern.js";
import { IgnoreFiles, stampOf } from "./read-ignore-file.js";

/** Immutable; the same object until an ignore file on the way to the folder changes. */
export interface FolderRules {
    /** Relative to the root; `""` is the root. */
    readonly folder: string;
    readonly base: BaseRules;
    readonly parent: FolderRules | undefined;
    readonly own: IgnoreLayer | undefined;
    /** All layers that may match the folder's entries. */
    readonly layers: readonly IgnoreLayer[];
    /** The folder is ignored, and entered only for its tracked files. */
    readonly onlyTracked: boolean;
}

export type EnteredFolder = Pick<FolderRules, "folder" | "onlyTracked">;

interface BaseRules {
    /** Patterns from outside the work tree, strongest first. */
    readonly excludes: readonly IgnoreLayer[];
    /** `.northignore`: can ignore anything, but re-include only what it ignored itself. */
    readonly north: IgnoreLayer | undefined;
    readonly tracked: TrackedFiles;
}

/** What happens to an entry; `partly` is an ignored folder with tracked files in it. */
type IgnoreRule = "ignored" | "included" | "partly";

/** The repository's only ignore list, used by everything that lists, reads or searches. */
export class IgnoreList {
    private files: IgnoreFiles;
    // Promises: concurrent callers share one git process.
    private settings: Promise<GitSettings> | undefined;
    private base: BaseRules | undefined;
    private tracked = NOTHING_TRACKED;
    private listed: { readonly stamp: string; readonly files: Promise<TrackedFiles> } | undefined;
    private readonly folders = new Map<string, FolderRules>();

    private closed: ReadonlySet<string> | undefined;

    constructor(
        private readonly root: string,
        /** North's own folders, absolute. */
        private readonly ownFolders: readonly string[] = [],
        private readonly tree = filesOnDisk
    ) {
        this.files = new IgnoreFiles(false, tree);
    }

    /** Returns up-to-date rules for the root's entries. */
    async current(signal?: AbortSignal): Promise<FolderRules> {
        await this.closedPaths();
        const settings = await this.currentSettings();
        const base: BaseRules = {
            excludes: (settings?.excludeFiles ?? [])
                .flatMap((file) => this.files.layer(file, "follow") ?? [])
                .reverse(),
            north: this.files.layer(join(this.root, ".northignore")),
            tracked: await this.currentTracked(settings, signal),
        };
        if (this.base === undefined || !isSameBase(this.base, base)) this.base = base;
        return this.folderRules({ folder: "", onlyTracked: false }, this.base, undefined);
    }

    enter(parent: FolderRules, entered: EnteredFolder): FolderRules {
        return this.folderRules(entered, parent.base, parent);
    }

    rule(rules: FolderRules, name: string, type: "file" | "dir"): IgnoreRule {
        if (type === "dir" ? ALWAYS_IGNORED_FOLDERS.has(name) : name === ".git") return "ignored";
        const { onlyTracked, layers } = rules;
        // Fast path: avoids joining and hashing the path of nearly every file in a walk.
        const isPlain = type === "file" && !onlyTracked;
        if (isPlain && !mayMatch(layers, name)) return "included";
        const path = rules.folder === "" ? name : `${rules.folder}/${name}`;
        if (type === "dir" && this.closed?.has(path)) return "ignored";
        if (rules.base.north?.verdict(path, type) === "ignored") return "ignored";
        if (!onlyTracked && !this.isExcluded(rules, path, name, type)) return "included";
        if (!rules.base.tracked.covers(path, type)) return "ignored";
        return type === "dir" ? "partly" : "included";
    }

    /** Whether a path (it need not exist) is ignored itself or through a parent folder. */
    async isIgnored(path: string, type: "file" | "dir"): Promise<boolean> {
        if (path === "") return false;
        const end = path.lastIndexOf("/");
        const rules = await this.rulesFor(path.slice(0, Math.max(end, 0)));
        return rules === undefined || this.rule(rules, path.slice(end + 1), type) === "ignored";
    }

    /** Returns the rules for a folder's entries; `undefined` if the folder itself is ignored. */
    async rulesFor(folder: string): Promise<FolderRules | undefined> {
        let rules = await this.current();
        let path = "";
        for (const name of folder === "" ? [] : folder.split("/")) {
            const rule = this.rule(rules, name, "dir");
            if (rule === "ignored") return undefined;
            path = path === "" ? name : `${path}/${name}`;
            rules = this.enter(rules, { folder: path, onlyTracked: rule === "partly" });
        }
        return rules;
    }

    /** Whether a path belongs to git or North, which no permission can open. */
    async isClosed(path: string): Promise<boolean> {
        const closed = [...(await this.closedPaths())];
        return (
            isVersionControl(path) || closed.some((folder) => `${path}/`.startsWith(`${folder}/`))
        );
    }

    private async closedPaths(): Promise<ReadonlySet<string>> {
        this.closed ??= new Set(await closedFolders(this.root, this.ownFolders));
        return this.closed;
    }

    private isExcluded(
        rules: FolderRules,
        path: string,
        name: string,
        type: "file" | "dir"
    ): boolean {
        // The nearest ignore file with a verdict decides.
        for (let at: FolderRules | undefined = rules; at !== undefined; at = at.parent) {
            if (at.own === undefined) continue;
            const inside = at.folder === "" ? path : path.slice(at.folder.length + 1);
            const verdict = at.own.verdict(inside, type);
            if (verdict !== undefined) return verdict === "ignored";
        }
        for (const layer of rules.base.excludes) {
            const verdict = layer.verdict(path, type);
            if (verdict !== undefined) return verdict === "ignored";
        }
        return type === "dir" && isBuildOutput(join(this.root, rules.folder), name, this.tree);
    }

    private folderRules(
        { folder, onlyTracked }: EnteredFolder,
        base: BaseRules,
        parent: FolderRules | undefined
    ): FolderRules {
        const own = this.files.layer(join(this.root, folder, ".gitignore"));
        const known = this.folders.get(folder);
        if (
            known?.base === base &&
            known.parent === parent &&
            known.own === own &&
            known.onlyTracked === onlyTracked
        ) {
            return known;
        }

        const inherited = parent?.layers ?? [...(base.north ? [base.north] : []), ...base.excludes];
        const layers = own ? [own, ...inherited] : inherited;
        const rules: FolderRules = { folder, base, parent, own, layers, onlyTracked };
        this.folders.set(folder, rules);
        return rules;
    }

    private async currentSettings(): Promise<GitSettings | undefined> {
        if (!hasGit(this.root)) {
            this.settings = undefined;
            return undefined;
        }
        this.settings ??= readGitSettings(this.root).then((settings) => {
            this.files = new IgnoreFiles(settings.ignoreCase, this.tree);
            return settings;
        });
        return this.settings;
    }

    private async currentTracked(
        settings: GitSettings | undefined,
        signal: AbortSignal | undefined
    ): Promise<TrackedFiles> {
        const stamp = settings === undefined ? undefined : stampOf(settings.index, "follow");
        if (stamp === undefined) return NOTHING_TRACKED;
        if (stamp !== this.listed?.stamp) this.listed = { stamp, files: this.listTracked() };
        return signal ? untilAborted(this.listed.files, signal) : this.listed.files;
    }

    private async listTracked(): Promise<TrackedFiles> {
        const output = await runGit(this.root, ["ls-files", "-z", "--cached"]);
        const listing = output?.complete ? output.stdout : Buffer.alloc(0);
        // Git also rewrites the index without changing its files: keep the parsed list then.
        if (!this.tracked.isSame(listing)) this.tracked = new TrackedFiles(listing);
        return this.tracked;
    }
}

function mayMatch(layers: readonly IgnoreLayer[], name: string): boolean {
    for (const layer of layers) if (layer.mayMatch(name)) return true;
    return false;
}

function isSameBase(left: BaseRules, right: BaseRules): boolean {
    return (
        left.north === right.north &&
        left.tracked === right.tracked &&
        left.excludes.length === right.excludes.length &&
        left.excludes.every((layer, index) => layer === right.excludes[index])
    );
}
