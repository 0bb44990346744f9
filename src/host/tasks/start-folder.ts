import { existsSync } from "node:fs";
import { copyFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { requireGit, runGit } from "../../base/git.js";
import { NorthError } from "../../base/north-error.js";
import { projectFolder } from "../../storage/files/directories.js";
import { makeFolder } from "../../storage/files/make-folder.js";

/**
 * The folder of a task that starts from a commit: the checkout if it is there, else a repository
 * that shares its objects and none of its settings, and writes nothing into it. Rejects with `no-such-commit`.
 */
export async function startFolder(
    { root, dataFolder }: { readonly root: string; readonly dataFolder: string },
    commit: string
): Promise<string> {
    const found = await runGit(root, ["rev-parse", "--verify", "-q", `${commit}^{commit}`]);
    if (!found) throw noSuchCommit(root, commit);
    const hash = found.stdout.toString().trim();
    if (hash === (await headOf(root))) return root;
    const clone = path.join(projectFolder(dataFolder, root), "commits", hash);
    if (existsSync(clone)) return clone;
    const unfinished = `${clone}.${process.pid}`;
    makeFolder(unfinished);
    try {
        // Objects are named as those of the checkout.
        const GIT_DEFAULT_HASH = hash.length === 64 ? "sha256" : "sha1";
        const variables = { GIT_WORK_TREE: undefined, GIT_DEFAULT_HASH };
        await requireGit(unfinished, ["init", "-q"], { variables });
        const git = path.join(unfinished, ".git");
        const objects = await gitPath(root, "objects");
        await writeFile(path.join(git, "objects", "info", "alternates"), `${objects}\n`);
        // Where the history of a shallow clone ends.
        const shallow = await gitPath(root, "shallow");
        if (existsSync(shallow)) await copyFile(shallow, path.join(git, "shallow"));
        await checkOut(unfinished, hash);
        // All or nothing, even if another process makes it now.
        await rename(unfinished, clone);
    } catch (error) {
        await rm(unfinished, { recursive: true, force: true });
        if (!existsSync(clone)) throw error;
    }
    return clone;
}

/** Makes what `startFolder` returned as its commit again, if commands of earlier tasks ran for real. */
export async function restoreStartFolder(folder: string): Promise<void> {
    const hash = path.basename(folder);
    const status = ["--no-optional-locks", "status", "--porcelain", "--untracked-files=normal"];
    const isAtCommit = (await headOf(folder)) === hash;
    if (isAtCommit && (await requireGit(folder, status)) === "") return;
    await checkOut(folder, hash);
}

async function headOf(folder: string): Promise<string> {
    return (await requireGit(folder, ["rev-parse", "HEAD"])).trim();
}

async function checkOut(folder: string, hash: string): Promise<void> {
    await requireGit(folder, ["update-ref", "--no-deref", "HEAD", hash]);
    // Unlike a checkout, it fails where objects are missing, as in a partial clone.
    await requireGit(folder, ["reset", "-q", "--hard"]);
    await requireGit(folder, ["clean", "-ffdq"]);
}

async function gitPath(root: string, name: string): Promise<string> {
    const found = await requireGit(root, ["rev-parse", "--git-path", name]);
    return path.resolve(root, found.trim());
}

function noSuchCommit(root: string, commit: string): NorthError {
    return new NorthError("no-such-commit", `${root} has no commit ${commit}.`, [
        "Fetch it first, for example with `git fetch --unshallow`.",
    ]);
}
