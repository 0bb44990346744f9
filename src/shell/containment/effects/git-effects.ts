import path from "node:path";
import { runGit } from "../../../base/git.js";
import { gitDirectories } from "../../../base/git-directory.js";
import { readRegularFile } from "../../../base/read-regular-file.js";
import type { RunFolders } from "../containment.js";
import { type AreThere, below, type LayerPair, touchedPaths } from "./upper-layer.js";

/** Git's bookkeeping and unreferenced objects. */
const MEANINGLESS =
    /^(?:objects(?:\/|$)|(?:worktrees\/[^/]+\/)?(?:logs(?:\/|$)|[^/]+\.lock$|ORIG_HEAD$|FETCH_HEAD$|COMMIT_EDITMSG$|gc\.(?:pid|log)$|fsmonitor--daemon))/;
/** Longer than the references of the largest repositories. */
const MAX_BYTES = 64 * 1024 ** 2;
const INDEX = /^(?:worktrees\/[^/]+\/)?index$/;
const REFERENCES = /^(?:(?:worktrees\/[^/]+\/)?HEAD|refs\/.*|packed-refs)$/;

export interface GitPlaces {
    readonly root: string;
    readonly base: string;
    readonly folders: RunFolders;
    readonly gitFolder?: string;
}

interface GitLayers extends LayerPair {
    readonly root: string;
    /** The subfolder, in both layers, that belongs to this work tree. */
    readonly own: string;
}

/**
 * Describes changes to git's folder, to complete "needs ..."; `undefined` for meaningless ones,
 * like a refreshed index.
 */
export async function gitEffects(
    places: GitPlaces,
    areThere: AreThere
): Promise<string | undefined> {
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
    const meaningful: string[] = [];
    for (const place of await changedFiles(layers, areThere)) {
        if (MEANINGLESS.test(place)) continue;
        if (INDEX.test(place) && (await isSameIndex(layers, place))) continue;
        meaningful.push(place);
    }
    return meaningful.length === 0 ? undefined : summary(layers, meaningful);
}

async function changedFiles(layers: GitLayers, areThere: AreThere): Promise<string[]> {
    const touched = await touchedPaths({ ...layers, isReplaceable: true }, (places) =>
        areThere(places.map((place) => below(layers.lower, place)))
    );
    return touched.flatMap(({ path: place, before, after }) => {
        if (before?.kind === "folder" || after?.kind === "folder") return [];
        const isSame = before && after && sameContent(layers, place);
        return isSame ? [] : [place];
    });
}

function sameContent({ lower, upper }: GitLayers, place: string): boolean {
    const [before, after] = [lower, upper].map((layer) => read(path.join(layer, place)));
    return before !== undefined && before === after;
}

async function isSameIndex({ root, lower, upper }: GitLayers, place: string): Promise<boolean> {
    const list = (layer: string) =>
        git(root, ["ls-files", "-s", "-v", "-z"], { GIT_INDEX_FILE: path.join(layer, place) });
    const [before, after] = [await list(lower), await list(upper)];
    return before !== undefined && before === after;
}

async function summary(layers: GitLayers, changed: readonly string[]): Promise<string> {
    const references = changed.filter((place) => REFERENCES.test(place));
    const others = changed.filter((place) => !REFERENCES.test(place) && !INDEX.test(place));
    const parts = [
        references.length > 0 ? await describeReferences(layers, references) : undefined,
        ...others.slice(0, 3).map((place) => `.git/${place}`),
        others.length > 3 ? `${others.length - 3} more` : undefined,
        references.length + others.length === 0 ? "the index" : undefined,
    ].filter((part) => part !== undefined);
    return `to change git's folder: ${parts.join(", ")}`;
}

async function describeReferences(
    layers: GitLayers,
    references: readonly string[]
): Promise<string> {
    const before = headIn(layers, [layers.lower]);
    const after = headIn(layers, [layers.upper, layers.lower]);
    if (before === after || after === undefined) return references.slice(0, 3).join(", ");
    const objects = {
        GIT_OBJECT_DIRECTORY: path.join(layers.upper, "objects"),
        GIT_ALTERNATE_OBJECT_DIRECTORIES: path.join(layers.lower, "objects"),
    };
    const range = before === undefined ? after : `${before}..${after}`;
    const count = Number(await git(layers.root, ["rev-list", "--count", range], objects));
    const commits = count > 0 ? `${count} ${count === 1 ? "commit" : "commits"}, ` : "";
    return `${commits}HEAD ${before?.slice(0, 7) ?? "nothing"} to ${after.slice(0, 7)}`;
}

/** Resolves HEAD to a commit, reading each file from the first layer that has it. */
function headIn({ own }: GitLayers, order: readonly string[]): string | undefined {
    const find = (place: string) =>
        order.map((layer) => read(path.join(layer, place))).find((text) => text !== undefined);
    const text = find(path.join(own, "HEAD"))?.trim();
    const name = /^ref: (.+)$/.exec(text ?? "")?.[1];
    if (name === undefined) return text;
    const packed = find("packed-refs")
        ?.split("\n")
        .find((line) => line.endsWith(` ${name}`));
    return find(name)?.trim() ?? packed?.split(" ")[0];
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
