import { readFileSync, readlinkSync } from "node:fs";
import path from "node:path";
import { attempt } from "../../../base/attempt.js";
import { counted, firstOf, formatBytes } from "../../../base/format.js";
import { isInside, resolveRealPath } from "../../../base/paths.js";
import { readRegularFile } from "../../../base/read-regular-file.js";
import { sha256 } from "../../../base/sha256.js";
import { type FileType, fileTypes, typeAfter, typeBefore } from "../../../plugin/change-set.js";
import { isProtectedPath } from "../../../plugin/protected-path.js";
import type { Effect, LeftOutput, OutputRules, Refusal, RepositoryChange } from "../containment.js";
import { outerHooks } from "../git-places.js";
import { gitEffects, type GitView } from "./git-effects.js";
import type { ProjectContents } from "../repository/committed-files.js";
import type { RepositoryReading } from "../repository/read-repository.js";
import { homeEffects } from "./home-effects.js";
import { IgnoredPaths } from "./ignored-paths.js";
import { pruneLayer, sortOutputs } from "./read-outputs.js";
import { entryAt, isReadable, type LayerEntry } from "./layer.js";
import type { LowerLayers } from "./lower-layers.js";
import { type CheckVisibility, below, type Touched, touchedPaths } from "./upper-layer.js";

const MAX_BYTES = 200 * 1024 * 1024;
const MAX_CHANGES = 20_000;
const PERMISSIONS = 0o7777;
/** Setuid and setgid bits. */
const SET_ID = 0o6000;

interface EffectsOptions extends GitView {
    /** Relative to the root. */
    readonly hiddenFiles: readonly string[];
    /** Names a real path that commands do not see. */
    readonly hiddenName: (location: string) => string | undefined;
    readonly began: number;
    readonly lower: LowerLayers;
    /** Whether known caches are outputs like others, as the next run needs them. */
    readonly keepsCaches?: boolean;
    readonly command: string;
    readonly home?: string | undefined;
    /** Absent if the run was killed, which leaves no effects. */
    readonly areThere?: CheckVisibility;
    readonly isIgnored: (path: string, type: "file" | "dir") => Promise<boolean>;
    readonly outputRules?: OutputRules | undefined;
}

/** What a command did, before any of it is applied. */
export interface Effects {
    readonly changes: readonly Effect[];
    readonly outputs: readonly LeftOutput[];
    readonly repository?: RepositoryChange;
    /** The part that can only happen for real. */
    readonly refusal?: Refusal;
    readonly notes: readonly string[];
}

export async function readEffects(options: EffectsOptions): Promise<Effects> {
    const { root, base, folders, areThere, lower } = options;
    const nothing = { changes: [], outputs: [] };
    if (!areThere) return { ...nothing, notes: [] };
    const layers = { lower, upper: path.join(base, folders.project, "upper") };
    const touched = await touchedPaths({ ...layers, skip: ".git" }, (paths) =>
        areThere(paths.map((place) => below(root, place)))
    );
    const home = homeEffects(path.join(base, folders.home, "upper"), options);
    let { notes } = home;
    const ignored = new IgnoredPaths(options.isIgnored);
    const sorted = await sortOutputs(touched, layers, ignored, options.outputRules);
    const unreadable = impossible(touched, new Set(sorted.changes), options);
    if (unreadable) return { ...nothing, refusal: unreadable, notes };
    const parents = new Set(touched.map(({ path: location }) => path.dirname(location)));
    const changes = changesOf(sorted.changes, parents);
    if (!Array.isArray(changes)) return { ...nothing, refusal: changes, notes };
    const untimely = timesOnly(sorted.changes, changes);
    if (untimely.length > 0) {
        notes = [...notes, `Changed times were not applied: ${firstOf(untimely)}.`];
    }
    const contents = contentsIn(root, changes);
    const git = await gitEffects(options, areThere, { contents, began: options.began });
    const refusal = (await gitRefusal(git, options)) ?? home.refusal;
    const effects: Effect[] = [];
    for (const change of changes) {
        const type = change.type === "folder" ? "dir" : "file";
        const folder = await ignored.folderAround(change.path, type);
        const isIgnored = await ignored.covers(change.path, type);
        effects.push({ ...change, isIgnored, ...(folder && { ignoredIn: `${folder}/` }) });
    }
    const { outputs } = sorted;
    if (!options.keepsCaches) {
        const discarded = outputs.filter(({ way }) => way === "discard");
        pruneLayer(layers.upper, [...sorted.changes, ...discarded]);
    }
    const repository = git.kind === "change" && !refusal ? { repository: git.change } : {};
    return { changes: effects, outputs, ...repository, ...(refusal ? { refusal } : {}), notes };
}

/** Files that differ only in the time of their last change, as after `touch`. */
function timesOnly(
    touched: readonly Touched[],
    changes: readonly Pick<Effect, "path">[]
): readonly string[] {
    const changed = new Set(changes.map((change) => change.path));
    return touched
        .filter(({ before, after }) => before?.kind === "file" && after?.kind === "file")
        .filter(({ before, after }) => before?.stats.mtimeMs !== after?.stats.mtimeMs)
        .map((file) => file.path)
        .filter((place) => !changed.has(place));
}

async function gitRefusal(
    git: RepositoryReading,
    options: EffectsOptions
): Promise<Refusal | undefined> {
    switch (git.kind) {
        case "nothing":
            return undefined;
        case "refused":
            return { what: git.isMeanwhile ? "meanwhile" : "git-directory", text: git.text };
        case "change":
            return hiddenFromGit(git.change, options);
        default:
            return git satisfies never;
    }
}

async function hiddenFromGit(
    { plan: { moves, head }, shown }: RepositoryChange,
    { root, hiddenFiles, hiddenName }: EffectsOptions
): Promise<Refusal | undefined> {
    const refused = (text: string): Refusal => ({
        what: "hidden-file",
        text: `${text} hidden from contained commands`,
    });
    // The command saw what stands in for it, and must not commit that.
    const hidden = shown.unseen.find(({ path: place }) => hiddenFiles.includes(place));
    if (hidden) return refused(`Commits ${hidden.path}, which is`);
    const hooks = moves.length > 0 || head ? await outerHooks(root) : undefined;
    const folder = hooks === undefined ? undefined : hiddenName(hooks);
    return folder === undefined ? undefined : refused(`It needs the hooks in ${folder}, which are`);
}

/** What files of the project, and links' targets, are before these changes and after them. */
function contentsIn(root: string, changes: readonly Omit<Effect, "isIgnored">[]): ProjectContents {
    const known = new Map(changes.map((change) => [change.path, change]));
    return (place) => {
        const change = known.get(place);
        const file = path.join(root, place);
        const mode = entryAt(file)?.stats.mode ?? 0;
        if (change) {
            const { before, after } = change;
            const isExecutable = canRun(change.mode ?? mode);
            return [
                ...(before
                    ? [{ type: typeBefore(change), bytes: before, isExecutable: canRun(mode) }]
                    : []),
                ...(after ? [{ type: typeAfter(change), bytes: after, isExecutable }] : []),
            ];
        }
        // Through no link: the project's own file is meant.
        if (resolveRealPath(path.dirname(file)) !== path.dirname(file)) return [];
        const target = attempt(() => readlinkSync(file, "buffer"));
        if (target) return [{ type: "link", bytes: target, isExecutable: false }];
        const read = readRegularFile(file, MAX_BYTES);
        return read?.isWhole
            ? [{ type: "file", bytes: read.bytes, isExecutable: canRun(mode) }]
            : [];
    };
}

function canRun(mode: number): boolean {
    return (mode & 0o111) !== 0;
}

function impossible(
    touched: readonly Touched[],
    reviewed: ReadonlySet<Touched>,
    { root, hiddenFiles, began }: EffectsOptions
): Refusal | undefined {
    const hidden = new Set(hiddenFiles);
    for (const each of touched) {
        const { path, before, after, unfit } = each;
        if (unfit !== undefined) {
            return { what: "kind", text: `It needs to write ${path}, ${unfit}` };
        }
        if (hidden.has(path)) {
            return {
                what: "hidden-file",
                text: `Changes ${path}, which is hidden from contained commands`,
            };
        }
        if (isProtectedPath(path) && (before?.kind !== "folder" || after?.kind !== "folder")) {
            return { what: "git-directory", text: `It needs to write ${path}` };
        }
        const modeBefore = before?.kind === "file" ? before.stats.mode : 0;
        if (after?.kind === "file" && (after.stats.mode & ~modeBefore & SET_ID) !== 0) {
            return { what: "rights", text: `It needs to let others run ${path} as you` };
        }
        const special = before?.kind === "other" ? before : after;
        if (special?.kind === "other" && !special.stats.isSocket()) {
            return { what: "kind", text: `It needs to make or remove ${path}, a pipe or device` };
        }
        const isOutput = !reviewed.has(each) && after?.kind !== "folder";
        if (!isOutput && ![before, after].every(isReadable)) {
            return { what: "kind", text: `It needs to change ${path}, which you may not read` };
        }
        if (!reviewed.has(each)) continue;
        const isShared = before && isInside(root, before.path);
        if (isShared && before.kind !== "folder" && before.stats.ctimeMs > began) {
            return { what: "meanwhile", text: `${path} changed while it ran` };
        }
    }
    return undefined;
}

function changesOf(touched: readonly Touched[], parents: ReadonlySet<string>) {
    const changes: Omit<Effect, "isIgnored">[] = [];
    const sizes = touched.flatMap(({ before, after }) =>
        before?.kind === "folder" || after?.kind === "folder"
            ? []
            : [(before?.stats.size ?? 0) + (after?.stats.size ?? 0)]
    );
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    for (const each of touched) {
        if (bytes > MAX_BYTES || changes.length > MAX_CHANGES) {
            const all = `${counted(touched.length, "file")}, ${formatBytes(bytes)}`;
            return { what: "size", text: `It changes more than can be reviewed: ${all}` } as const;
        }
        const change = changeOf(each, parents);
        if (change) changes.push(change);
    }
    return changes;
}

/** Returns `undefined` if nothing really changed: a touched file, a folder on the way. */
function changeOf(
    touched: Touched,
    parents: ReadonlySet<string>
): Omit<Effect, "isIgnored"> | undefined {
    const { path: location } = touched;
    const [before, after] = [reviewable(touched.before), reviewable(touched.after)];
    if (!before && !after) return undefined;
    const old = before && contentOf(before);
    const fresh = after && contentOf(after);
    const mode = after && after.stats.mode & PERMISSIONS;
    const usualMode = (after?.kind === "folder" ? 0o777 : 0o666) & ~process.umask();
    const isSameKind = before?.kind === after?.kind;
    const modeBefore = isSameKind ? before && before.stats.mode & PERMISSIONS : usualMode;
    const hasSameMode = after?.kind === "link" || (before !== undefined && modeBefore === mode);
    if (old && fresh && isSameKind && hasSameMode && old.equals(fresh)) return undefined;
    // Created only to hold its contents.
    const isPlainFolder = after?.kind === "folder" && mode === usualMode && parents.has(location);
    if (isPlainFolder && !before) return undefined;
    return {
        path: location,
        before: old ?? null,
        beforeHash: old ? sha256(old) : null,
        after: fresh ?? null,
        ...fileTypes(before?.kind, after?.kind),
        ...(mode === undefined || hasSameMode ? {} : { mode }),
    };
}

interface Reviewable extends LayerEntry {
    readonly kind: FileType;
}

/** A socket stays behind, and nothing takes its place. */
function reviewable(entry: LayerEntry | undefined): Reviewable | undefined {
    return entry && entry.kind !== "other" ? { ...entry, kind: entry.kind } : undefined;
}

function contentOf({ kind, path }: Reviewable): Buffer {
    switch (kind) {
        case "file":
            return readFileSync(path);
        case "link":
            return readlinkSync(path, "buffer");
        case "folder":
            return Buffer.alloc(0);
        default:
            return kind satisfies never;
    }
}
