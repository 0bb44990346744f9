import { isBinary } from "../../base/binary.js";
import { blobAt, blobId, gitText, runGit } from "../../base/git.js";
import { isExpectedError, NorthError } from "../../base/north-error.js";
import { partnersOf } from "../../core/diff/compare-lines.js";
import { lineText, linesOf } from "../../core/diff/hunks.js";
import { blame } from "../../core/history/blame.js";
import { type ModelLine, modelLinesOf } from "../../core/history/seen-lines.js";
import { createSeenMarks } from "../../storage/seen-marks.js";
import { currentFile } from "../../workspace/current-file.js";
import { openStores } from "../open-stores.js";
import type { OnFile } from "./looking-for-lines.js";
import { projectChanges } from "./project-changes.js";
import { requireRepository } from "./require-repository.js";

interface ModelFile {
    /** Relative to the root. */
    readonly path: string;
    readonly lines: readonly (ModelLine & { readonly text: string })[];
}

export interface ModelLines {
    readonly root: string;
    /** What the lines were added to; absent for the whole project. */
    readonly base?: string;
    readonly files: readonly ModelFile[];
    readonly warnings: readonly string[];
}

/**
 * The lines of the project's files that models wrote since a branch or commit; without one, since
 * the default branch, else ever. Rejects with `no-such-target` or `not-a-repository`.
 */
export async function modelLines(
    dataFolder: string,
    folder: string,
    wanted?: string,
    onFile: OnFile = () => {}
): Promise<ModelLines> {
    const { root, contents } = await openStores(dataFolder, folder);
    const base = await baseOf(root, wanted);
    const { changes, withDrafts, warnings } = await projectChanges(dataFolder, root);
    const marks = await createSeenMarks(dataFolder, root).all();
    const paths = new Set(changes.flatMap(({ change }) => change.files.map(({ path }) => path)));
    const before = await blobsOf(root, base);
    const files: ModelFile[] = [];
    for (const [index, path] of [...paths].sort().entries()) {
        onFile(index, paths.size);
        const file = await textFile(root, path);
        // Nothing was added to it, so its history does not matter.
        if (!file || before.get(path) === blobId(file.bytes)) continue;
        const lines = linesOf(file.bytes);
        const { origins } = await blame({ ...file, path, changes: withDrafts, contents });
        const isAdded = await linesAdded(root, base, path, lines);
        const own = modelLinesOf(origins, marks).filter(({ line }) => isAdded(line));
        if (own.length === 0) continue;
        files.push({
            path,
            lines: own.map((each) => ({ ...each, text: lineText(lines[each.line - 1] ?? "") })),
        });
    }
    return { root, base, files, warnings };
}

/** Git's ids of a commit's files by path; without a commit, or where git uses other ids, none. */
async function blobsOf(
    root: string,
    commit: string | undefined
): Promise<ReadonlyMap<string, string>> {
    const listing = commit && (await runGit(root, ["ls-tree", "-r", "-z", "--full-tree", commit]));
    const rows = listing ? listing.stdout.toString("utf8").split("\0") : [];
    const found = rows.map((row) => /^\d+ blob ([0-9a-f]{40})\t([^]*)$/.exec(row));
    return new Map(found.flatMap((row) => (row ? [[row[2] ?? "", row[1] ?? ""]] : [])));
}

async function textFile(root: string, path: string) {
    try {
        const file = await currentFile(root, path);
        return file === null || isBinary(file.bytes) ? undefined : file;
    } catch (error) {
        // It is a folder or a link now.
        if (isExpectedError(error)) return undefined;
        throw error;
    }
}

/** Which lines of a file a commit did not have; all of them without one. */
export async function linesAdded(
    root: string,
    base: string | undefined,
    path: string,
    lines: readonly string[]
): Promise<(line: number) => boolean> {
    if (base === undefined) return () => true;
    const before = await blobAt(root, `${base}:${path}`);
    if (!before) return () => true;
    const kept = new Set(partnersOf(linesOf(before), lines));
    return (line) => !kept.has(line - 1);
}

const DEFAULT_BRANCHES = ["origin/HEAD", "origin/main", "origin/master", "main", "master"];

/** Where the current branch left the wanted one. */
async function baseOf(root: string, wanted: string | undefined): Promise<string | undefined> {
    const branch = await gitText(root, "symbolic-ref", "--quiet", "--short", "HEAD");
    for (const name of wanted === undefined ? DEFAULT_BRANCHES : [wanted]) {
        const commit = await gitText(
            root,
            ...["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`]
        );
        // On the default branch itself, what was pushed before is its base.
        if (commit === undefined || (wanted === undefined && name === branch)) continue;
        return (await gitText(root, "merge-base", commit, "HEAD")) ?? commit;
    }
    if (wanted === undefined) return undefined;
    await requireRepository(root, ["Leave the branch out to list the unseen lines of all files."]);
    throw new NorthError("no-such-target", `There is no branch or commit "${wanted}".`, [
        "Name a branch or a commit to compare with.",
    ]);
}
