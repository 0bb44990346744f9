import path from "node:path";
import { programsInSettings, requireGit, runGit } from "../../base/git.js";
import { NorthError } from "../../base/north-error.js";
import { readRegularFile } from "../../base/read-regular-file.js";
import { patchOf } from "../operations/patch.js";
import { requireRepository } from "../operations/require-repository.js";

/** No program of the repository may run, and the user's settings must not change the format. */
const DIFF = [
    ...["diff", "--no-ext-diff", "--no-textconv", "--no-color"],
    ...["--src-prefix=a/", "--dst-prefix=b/", "--ignore-submodules=dirty", "--find-renames"],
];
const MAX_NEW_FILE_BYTES = 1024 * 1024;

/**
 * The changes of a branch's base or a commit, else the uncommitted ones. Rejects with
 * `not-a-repository`, `no-such-target` or `unsafe-settings`.
 */
export async function changesToReview(
    root: string,
    wanted: string | undefined,
    signal: AbortSignal
): Promise<{
    /** As the object of a sentence: `the uncommitted changes`. */
    readonly target: string;
    readonly patch: string;
}> {
    await requireRepository(root, [
        "Pass the changes as a patch: `diff -u OLD NEW | north review -`.",
    ]);
    // Git runs the filters in the repository's own settings when it compares files.
    const [program] = await programsInSettings(root);
    if (program !== undefined) {
        const problem = `The repository's own git settings name a program (${program}), which North does not run.`;
        throw new NorthError("unsafe-settings", `Not reviewed: ${problem}`, [
            "Pass the changes as a patch: `git diff | north review -`.",
        ]);
    }
    const read = async (...words: readonly string[]): Promise<string | undefined> =>
        (await runGit(root, words, { signal }))?.stdout.toString("utf8").trim();
    const diff = (...words: readonly string[]) => requireGit(root, [...DIFF, ...words], { signal });
    const commitOf = (name: string) =>
        read("rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`);
    const before = async (commit: string) =>
        (await commitOf(commit)) ?? read("hash-object", "-t", "tree", "--stdin");
    const since = async (base = "HEAD") =>
        (await diff(base, "--")) + (await newFiles(root, signal));

    if (wanted === undefined) {
        const base = await before("HEAD");
        return { target: "the uncommitted changes", patch: await since(base) };
    }
    if (wanted.includes("..")) {
        for (const end of wanted.split(/\.{2,3}/)) {
            if (end !== "" && (await commitOf(end)) === undefined) throw noSuchTarget(end);
        }
        return {
            target: `the changes in ${wanted}`,
            patch: await diff("--end-of-options", wanted),
        };
    }
    const commit = await commitOf(wanted);
    if (commit === undefined) throw noSuchTarget(wanted);
    const kinds = ["heads", "remotes", "tags"].map((kind) => `refs/${kind}/${wanted}`);
    if ((await read("for-each-ref", "--format=%(refname)", ...kinds)) !== "") {
        const base = await read("merge-base", commit, "HEAD");
        return { target: `the changes since ${wanted}`, patch: await since(base ?? commit) };
    }
    const parent = await before(`${commit}^`);
    return { target: `commit ${wanted}`, patch: await diff(parent ?? "", commit, "--") };
}

function noSuchTarget(name: string): NorthError {
    return new NorthError("no-such-target", `There is no branch or commit "${name}".`, [
        "Name a branch to compare with, a commit, or - for a patch on standard input.",
    ]);
}

/** Files that git does not know yet and does not ignore, as a patch. */
async function newFiles(root: string, signal: AbortSignal): Promise<string> {
    const listing = ["ls-files", "--others", "--exclude-standard", "-z"];
    const names = (await requireGit(root, listing, { signal })).split("\0").filter(Boolean);
    const changes = names.flatMap((name) => {
        const read = readRegularFile(path.join(root, name), MAX_NEW_FILE_BYTES);
        if (!read?.isWhole) return [];
        return [{ path: name, before: null, beforeHash: null, after: read.bytes }];
    });
    return patchOf({ changes }, () => undefined).toString("utf8");
}
