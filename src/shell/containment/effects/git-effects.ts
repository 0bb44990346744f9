import { lstatSync } from "node:fs";
import path from "node:path";
import { counted } from "../../../base/format.js";
import { runGit } from "../../../base/git.js";
import { gitDirectories } from "../../../base/git-directory.js";
import { readRegularFile } from "../../../base/read-regular-file.js";
import type { RunFolders } from "../containment.js";
import { LowerLayers } from "./lower-layers.js";
import { type AreThere, below, type LayerPair, type Touched, touchedPaths } from "./upper-layer.js";

/** Git's bookkeeping and unreferenced objects. */
const MEANINGLESS =
    /^(?:objects(?:\/|$)|(?:worktrees\/[^/]+\/)?(?:logs(?:\/|$)|[^/]+\.lock$|ORIG_HEAD$|FETCH_HEAD$|COMMIT_EDITMSG$|gc\.(?:pid|log)$|fsmonitor--daemon))/;
/** Longer than the references of the largest repositories. */
const MAX_BYTES = 64 * 1024 ** 2;
const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const INDEX = /^(?:worktrees\/[^/]+\/)?index$/;
const REFERENCES = /^(?:(?:worktrees\/[^/]+\/)?HEAD|refs\/.*|packed-refs)$/;

export interface GitView {
    readonly root: string;
    readonly base: string;
    readonly folders: RunFolders;
    readonly gitFolder?: string;
}

interface GitLayers extends Omit<LayerPair, "lower"> {
    readonly lower: string;
    readonly root: string;
    /** The subfolder, in both layers, that belongs to this work tree. */
    readonly own: string;
}

/**
 * Describes changes to git's folder, as `Refusal.text`; `undefined` for meaningless ones,
 * like a refreshed index.
 */
export async function gitEffects(places: GitView, areThere: AreThere): Promise<string | undefined> {
    const { root, base, folders, gitFolder } = places;
    const git = await gitDirectories(root);
    const layers = {
        root,
        own: git ? path.relative(git.common, git.own) : "",
        lower: gitFolder ?? path.join(root, ".git"),
        upper:
            gitFolder === undefined
                ? path.join(base, folders.project, "upper/.git")
                : path.join(base, folders.git, "upper"),
    };
    const touched = await touchedPaths(
        { ...layers, lower: new LowerLayers(layers.lower), isReplaceable: true },
        (paths) => areThere(paths.map((place) => below(layers.lower, place)))
    );
    const meaningful: string[] = [];
    for (const { path: location, before, after, unfit } of touched) {
        if (!before && !after && unfit === undefined) continue;
        if (before?.kind === "folder" || after?.kind === "folder") continue;
        if (before && after && sameContent(layers, location)) continue;
        if (MEANINGLESS.test(location)) continue;
        if (
            INDEX.test(location) &&
            after?.kind === "file" &&
            (await isSameIndex(layers, location))
        ) {
            continue;
        }
        meaningful.push(location);
    }
    if (meaningful.length === 0) return undefined;
    return summary(layers, meaningful, touched.every(isFitForGit));
}

/** Whether git may read it: no pipe to wait at, and nothing that leads it to other folders. */
function isFitForGit({ path, after }: Touched): boolean {
    const isPlain = after === undefined || after.kind === "file" || after.kind === "folder";
    return isPlain && !/^objects\/info\/./.test(path);
}

function sameContent({ lower, upper }: GitLayers, location: string): boolean {
    const [before, after] = [lower, upper].map((layer) => read(path.join(layer, location)));
    return before !== undefined && before === after;
}

async function isSameIndex({ root, lower, upper }: GitLayers, location: string): Promise<boolean> {
    const list = (layer: string) =>
        git(root, ["ls-files", "-s", "-v", "-z"], { GIT_INDEX_FILE: path.join(layer, location) });
    const [before, after] = [await list(lower), await list(upper)];
    return before !== undefined && before === after;
}

async function summary(
    layers: GitLayers,
    changed: readonly string[],
    isCountable: boolean
): Promise<string> {
    const references = changed.filter((path) => REFERENCES.test(path));
    const others = changed.filter((path) => !REFERENCES.test(path) && !INDEX.test(path));
    const parts = [
        references.length > 0
            ? await describeReferences(layers, references, isCountable)
            : undefined,
        ...others.slice(0, 3).map((path) => `.git/${path}`),
        others.length > 3 ? `${others.length - 3} more` : undefined,
        references.length + others.length === 0 ? "the index" : undefined,
    ].filter((part) => part !== undefined);
    return `Changes the git repository: ${parts.join(", ")}`;
}

async function describeReferences(
    layers: GitLayers,
    references: readonly string[],
    isCountable: boolean
): Promise<string> {
    const before = headIn(layers, [layers.lower]);
    const after = headIn(layers, [layers.upper, layers.lower]);
    if (before === after || after === undefined) return references.slice(0, 3).join(", ");
    const objects = {
        GIT_OBJECT_DIRECTORY: path.join(layers.upper, "objects"),
        GIT_ALTERNATE_OBJECT_DIRECTORIES: path.join(layers.lower, "objects"),
    };
    const range = before === undefined ? after : `${before}..${after}`;
    const count = isCountable
        ? Number(await git(layers.root, ["rev-list", "--count", range], objects))
        : 0;
    // The real commit's id differs, as its time does.
    return count > 0 ? `adds ${counted(count, "commit")}` : `moves HEAD to ${after.slice(0, 7)}`;
}

/** Resolves HEAD to a commit, reading each file from the first layer that has it. */
function headIn({ own }: GitLayers, order: readonly string[]): string | undefined {
    const find = (location: string) =>
        order.map((layer) => readIn(layer, location)).find((text) => text !== undefined);
    const text = find(path.join(own, "HEAD"))?.trim() ?? "";
    const name = /^ref: (.+)$/.exec(text)?.[1];
    if (name === undefined) return commitIn(text);
    // The command may have written any path here.
    if (!name.startsWith("refs/") || /(?:^|\/)\./.test(name)) return undefined;
    const packed = find("packed-refs")
        ?.split("\n")
        .find((line) => line.endsWith(` ${name}`));
    return commitIn(find(name)?.trim() ?? packed?.split(" ")[0] ?? "");
}

function commitIn(text: string): string | undefined {
    return COMMIT.test(text) ? text : undefined;
}

/** Through real folders only: a link may lead out of the layer. */
function readIn(layer: string, location: string): string | undefined {
    for (let folder = path.dirname(location); ; folder = path.dirname(folder)) {
        if (!isRealFolder(path.join(layer, folder))) return undefined;
        if (folder === ".") return read(path.join(layer, location));
    }
}

/** Not for any other path either: one with a NUL, or too long. */
function isRealFolder(path: string): boolean {
    try {
        return lstatSync(path).isDirectory();
    } catch {
        return false;
    }
}

/** Never a link or a named pipe, which the command may have put there. */
function read(file: string): string | undefined {
    return readRegularFile(file, MAX_BYTES)?.bytes.toString("latin1");
}

async function git(
    root: string,
    commandLine: readonly string[],
    variables: NodeJS.ProcessEnv
): Promise<string | undefined> {
    const output = await runGit(root, commandLine, { variables });
    return output?.complete ? output.stdout.toString("utf8") : undefined;
}
