import { readlinkSync, rmSync } from "node:fs";
import path from "node:path";
import { foldersAbove, isInside, resolveRealPath } from "../../../base/paths.js";
import type { FileChange } from "../../../plugin/change-set.js";
import { cacheAround } from "../../../plugin/outputs.js";
import { isProtectedPath } from "../../../plugin/protected-path.js";
import { nameRunLater, outputRunLater, runsLater } from "../../../plugin/runs-later.js";
import type { LeftOutput, LeftVersion, OutputRules } from "../containment.js";
import type { IgnoredPaths } from "./ignored-paths.js";
import { entryAt, type LayerEntry } from "./layer.js";
import type { LowerLayers } from "./lower-layers.js";
import type { Touched } from "./upper-layer.js";
import { WritableFolders } from "./writable-folders.js";

interface LayerFolders {
    readonly lower: LowerLayers;
    readonly upper: string;
}

const EMPTY = new Uint8Array();

/**
 * Tells what a command left where git ignores it from the changes that are reviewed. What something
 * runs later, what git tracks, and links that lead elsewhere are changes wherever they are.
 */
export async function sortOutputs(
    touched: readonly Touched[],
    layers: LayerFolders,
    ignored: IgnoredPaths,
    rules: OutputRules | undefined
): Promise<{
    readonly outputs: readonly LeftOutput[];
    /** What is reviewed as changes. */
    readonly changes: readonly Touched[];
}> {
    if (!rules) return { outputs: [], changes: touched };
    const found: { readonly output: LeftOutput; readonly touched: Touched }[] = [];
    const changes: Touched[] = [];
    const gitFolders = gitFoldersIn(touched, layers);
    const parents = new Set(touched.map(({ path: location }) => path.dirname(location)));
    for (const each of touched) {
        const isEmptyFolder = isNewFolder(each) && !parents.has(each.path);
        const group = (await groupOf(each, ignored)) ?? emptyFolder(each, isEmptyFolder);
        const isOutput =
            group !== undefined &&
            isOrdinary(each) &&
            !gitFolders.some((folder) => isInside(folder, `/${each.path}`)) &&
            !runLater(each, group, layers.upper);
        if (isOutput) found.push({ output: outputOf(each, group), touched: each });
        else changes.push(each);
    }
    if (found.length === 0) return { outputs: [], changes };
    const links = changes.concat(found.map(({ touched: each }) => each)).flatMap((each) => {
        const target = targetOf(each, layers.upper);
        return target === undefined ? [] : [{ path: each.path, target }];
    });
    const isReviewed = await rules.reviewed(links);
    const outputs: LeftOutput[] = [];
    const replaced = new Set(changes.filter(isReplaced).map(({ path }) => path));
    for (const { output, touched: each } of found) {
        const isWithin = () => foldersAbove(each.path).some((folder) => replaced.has(folder));
        if ((replaced.size > 0 && isWithin()) || isReviewed(output.path)) {
            changes.push(each);
            if (isReplaced(each)) replaced.add(each.path);
        } else {
            outputs.push(output);
        }
    }
    return { outputs, changes };
}

/** Removes from the layer what is not moved, so that its folders can be moved whole. */
export function pruneLayer(
    upper: string,
    unwanted: readonly { readonly path: string; readonly after?: { readonly kind: string } }[]
): void {
    const folders = new WritableFolders();
    for (const { path: location, after } of unwanted) {
        if (after?.kind === "folder") continue;
        const name = path.join(upper, location);
        const folder = path.dirname(name);
        // Security: a link of the command may have taken the name of a folder.
        if (resolveRealPath(folder) !== folder) continue;
        folders.open(folder);
        rmSync(name, { force: true });
    }
    folders.close();
}

/** The contents of a folder that was replaced, or that replaced something, move with it. */
function isReplaced({ before, after }: Touched): boolean {
    return before !== undefined && after !== undefined && before.kind !== after.kind;
}

interface OutputGroup extends Pick<LeftOutput, "group" | "way"> {
    /** Of an ignored folder or a known cache, not of a file that is ignored by its own name. */
    readonly isFolder: boolean;
}

function isPlainEntry({ kind, stats }: LayerEntry): boolean {
    return kind === "folder" || (kind === "file" && (stats.mode & 0o111) === 0);
}

async function groupOf(each: Touched, ignored: IgnoredPaths): Promise<OutputGroup | undefined> {
    const kind = (each.after ?? each.before)?.kind;
    const isPlain = [each.before, each.after].every((entry) => !entry || isPlainEntry(entry));
    const cache = cacheAround(kind === "folder" ? `${each.path}/` : each.path, isPlain);
    if (cache) return { group: cache.path, way: cache.way, isFolder: true };
    const folder = await ignored.folderAround(each.path, kind === "folder" ? "dir" : "file");
    if (folder !== undefined) return { group: `${folder}/`, way: "ask", isFolder: true };
    if (kind === "folder" || !(await ignored.isIgnored(each.path, "file"))) return undefined;
    const extension = path.extname(each.path);
    const name = extension === "" ? path.basename(each.path) : `*${extension}`;
    return { group: path.join(path.dirname(each.path), name), way: "ask", isFolder: false };
}

/** Nothing can run an empty folder. */
function emptyFolder(each: Touched, isEmpty: boolean): OutputGroup | undefined {
    if (!isEmpty || runsLater(each.path)) return undefined;
    return { group: `${each.path}/`, way: "keep", isFolder: true };
}

function isNewFolder({ before, after }: Touched): boolean {
    if (before !== undefined || after?.kind !== "folder") return false;
    return (after.stats.mode & 0o7777) === (0o777 & ~process.umask());
}

function isOrdinary({ path, before, after, unfit }: Touched): boolean {
    const special = before?.kind === "other" || after?.kind === "other";
    return unfit === undefined && !special && !isProtectedPath(path);
}

function runLater(each: Touched, { group, way, isFolder }: OutputGroup, upper: string): boolean {
    const target = targetOf(each, upper);
    if (target !== undefined && !`${target}/`.startsWith(isFolder ? group : "\0")) return true;
    if (way !== "ask") return false;
    const change = describedChange(each);
    return (isFolder ? outputRunLater(change, group) : nameRunLater(change)) !== undefined;
}

/** The change without its content, for rules that judge names and kinds. */
function describedChange({ path, before, after }: Touched): FileChange {
    const kind = (after ?? before)?.kind;
    return {
        path,
        before: before ? EMPTY : null,
        beforeHash: null,
        after: after ? EMPTY : null,
        ...(kind === "link" || kind === "folder" ? { type: kind } : {}),
        ...(after ? { mode: after.stats.mode & 0o7777 } : {}),
        isIgnored: true,
    };
}

/** Where a new or changed link leads, relative to the root. */
function targetOf({ path: location, after }: Touched, upper: string): string | undefined {
    if (after?.kind !== "link") return undefined;
    const target = readlinkSync(path.join(upper, location));
    return path.isAbsolute(target) ? target : path.join(path.dirname(location), target);
}

function outputOf({ path, before, after }: Touched, { group, way }: OutputGroup): LeftOutput {
    return {
        ...{ path, group, way },
        ...(before && { before: versionOf(before) }),
        ...(after && { after: versionOf(after) }),
    };
}

function versionOf({ kind, stats: { ino, mtimeMs, size, mode } }: LayerEntry): LeftVersion {
    return {
        kind: kind === "other" ? "file" : kind,
        size,
        mode: mode & 0o7777,
        version: `${ino} ${mtimeMs} ${size}`,
    };
}

/** New and changed folders that git would take for its own, each as `/path`. */
function gitFoldersIn(touched: readonly Touched[], { lower, upper }: LayerFolders): string[] {
    const parts = /^(?:HEAD|objects|refs|commondir)$/i;
    const folders = new Set(
        touched
            .filter(({ path: location, after }) => after && parts.test(path.basename(location)))
            .map(({ path: location }) => path.dirname(location))
    );
    return [...folders].flatMap((folder) => {
        const isThere = (name: string) =>
            [...lower.folders, upper].some((layer) => entryAt(path.join(layer, folder, name)));
        const isGit =
            isThere("HEAD") && (isThere("commondir") || (isThere("objects") && isThere("refs")));
        return isGit ? [path.join("/", folder)] : [];
    });
}
