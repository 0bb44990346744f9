import { readFileSync, readlinkSync } from "node:fs";
import path from "node:path";
import { isInside } from "../../../base/paths.js";
import { sha256 } from "../../../base/sha256.js";
import { type FileType, fileTypes } from "../../../plugin/change-set.js";
import { isProtectedPath } from "../../../plugin/protected-path.js";
import type { Effect, LeftOutput, OutputRules, Refusal } from "../containment.js";
import { gitEffects, type GitView } from "./git-effects.js";
import { homeEffects } from "./home-effects.js";
import { IgnoredPaths } from "./ignored-paths.js";
import { pruneLayer, sortOutputs } from "./read-outputs.js";
import type { LayerEntry } from "./layer.js";
import type { LowerLayers } from "./lower-layers.js";
import { type AreThere, below, type Touched, touchedPaths } from "./upper-layer.js";

const MAX_BYTES = 200 * 1024 * 1024;
const MAX_CHANGES = 20_000;
const PERMISSIONS = 0o7777;
/** Setuid and setgid bits. */
const SET_ID = 0o6000;

interface EffectsOptions extends GitView {
    /** Relative to the root. */
    readonly hiddenFiles: readonly string[];
    readonly began: number;
    readonly lower: LowerLayers;
    /** Whether known caches are outputs like others, as the next run needs them. */
    readonly keepsCaches?: boolean;
    readonly command: string;
    readonly home?: string | undefined;
    /** Absent if the run was killed, which leaves no effects. */
    readonly areThere?: AreThere;
    readonly isIgnored: (path: string, type: "file" | "dir") => Promise<boolean>;
    readonly outputRules?: OutputRules | undefined;
}

/** What a command did, before any of it is applied. */
export interface Effects {
    readonly changes: readonly Effect[];
    readonly outputs: readonly LeftOutput[];
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
    const git = await gitEffects(options, areThere);
    const { notes } = home;
    const ignored = new IgnoredPaths(options.isIgnored);
    const sorted = await sortOutputs(touched, layers, ignored, options.outputRules);
    const unreadable = impossible(touched, new Set(sorted.changes), options);
    if (unreadable) return { ...nothing, refusal: unreadable, notes };
    const parents = new Set(touched.map(({ path: location }) => path.dirname(location)));
    const changes = changesOf(sorted.changes, parents);
    if (!Array.isArray(changes)) return { ...nothing, refusal: changes, notes };
    const refusal =
        git === undefined ? home.refusal : { what: "git-directory" as const, text: git };
    const effects: Effect[] = [];
    for (const change of changes) {
        const isFolder = change.type === "folder";
        const folder = await ignored.folderAround(change.path, isFolder);
        const isIgnored = await ignored.covers(change.path, isFolder);
        effects.push({ ...change, isIgnored, ...(folder && { ignoredIn: `${folder}/` }) });
    }
    if (!options.keepsCaches) pruneLayer(layers.upper, sorted);
    const { outputs } = sorted;
    return { changes: effects, outputs, ...(refusal ? { refusal } : {}), notes };
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
        if (isProtectedPath(path) && !isSameFolder(before, after)) {
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
        if (!reviewed.has(each)) continue;
        const isShared = before && isInside(root, before.path);
        if (isShared && before.kind !== "folder" && before.stats.ctimeMs > began) {
            return { what: "meanwhile", text: `${path} changed while it ran` };
        }
    }
    return undefined;
}

function isSameFolder(before: LayerEntry | undefined, after: LayerEntry | undefined): boolean {
    return before?.kind === "folder" && after?.kind === "folder";
}

function changesOf(touched: readonly Touched[], parents: ReadonlySet<string>) {
    const changes: Omit<Effect, "isIgnored">[] = [];
    let bytes = 0;
    for (const each of touched) {
        const size = (each.before?.stats.size ?? 0) + (each.after?.stats.size ?? 0);
        if (each.before?.kind !== "folder" && each.after?.kind !== "folder") bytes += size;
        if (bytes > MAX_BYTES || changes.length > MAX_CHANGES) {
            const text = `It changes more than can be reviewed: ${touched.length} files`;
            return { what: "size", text } as const;
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
