import { rmdir } from "node:fs/promises";
import path from "node:path";
import { counted } from "../../base/format.js";
import { NorthError } from "../../base/north-error.js";
import { safeLine } from "../../base/safe-text.js";
import type { Worktree } from "../../plugin/index.js";
import { findRoot } from "../../workspace/find-root.js";
import { programsInSettings, requireGit, runGit } from "../../base/git.js";
import { requireIdentity } from "./require-repository.js";

const NAME = /^[A-Za-z0-9][\w.-]{0,63}$/;

/** Opens or creates the worktree `app.worktrees/fix`. Rejects: `no-repository`, `git-failed`. */
export async function openWorktree(folder: string, name: string): Promise<string> {
    const { root, isRepository } = await findRoot(folder);
    if (!NAME.test(name)) {
        throw new NorthError("bad-worktree-name", `${name} is not a valid worktree name.`, [
            "Use letters, digits, dots, dashes and underscores: `north -w fix-login`.",
        ]);
    }
    const [first, ...others] = isRepository ? await worktreesOf(root) : [];
    if (first === undefined) {
        throw new NorthError("no-repository", `${root} is not a git repository.`, [
            "Run `git init` and commit something first.",
        ]);
    }
    const location = path.join(`${first}.worktrees`, name);
    if (others.includes(location)) return location;
    await refusePrograms(first);
    const isBranch = await runGit(first, ["rev-parse", "--verify", "-q", `refs/heads/${name}`]);
    await requireGit(first, [
        "worktree",
        "add",
        ...(isBranch ? [location, name] : ["-b", name, location]),
    ]);
    return location;
}

/** Rejects with `programs-in-git-settings` if git would start programs that nobody approved. */
async function refusePrograms(root: string): Promise<void> {
    const names = await programsInSettings(root);
    if (names.length === 0) return;
    throw new NorthError(
        "programs-in-git-settings",
        `This repository's git settings name programs that North does not run: ${names.map(safeLine).join(", ")}.`,
        [
            "Use `git worktree` and `git merge` yourself, or move these to your own settings (`git config --global`).",
        ]
    );
}

/** The absolute paths of a repository's worktrees, the main one first. */
async function worktreesOf(root: string): Promise<readonly string[]> {
    const listing = ["worktree", "list", "--porcelain"];
    // Git before 2.36 cannot separate them by anything but line breaks.
    const separated = (await runGit(root, [...listing, "-z"]))?.stdout.toString("utf8");
    const lines = separated?.split("\0") ?? (await requireGit(root, listing)).split("\n");
    return lines.flatMap((line) => /^worktree (.+)$/s.exec(line)?.[1] ?? []);
}

/** The worktree that a session works in; `undefined` in the main one. */
export async function currentWorktree(root: string): Promise<Worktree | undefined> {
    const [repository, ...others] = await worktreesOf(root).catch(() => []);
    if (repository === undefined || !others.includes(root)) return undefined;
    await refusePrograms(root);
    const word = async (path: string) =>
        (await requireGit(path, ["rev-parse", "--abbrev-ref", "HEAD"])).trim();
    const [branch, target] = [await word(root), await word(repository)];
    const log = await requireGit(root, ["log", "--format=%h %s", `${target}..HEAD`]);
    const status = await requireGit(root, ["status", "--porcelain"]);
    const lines = (text: string) => text.split("\n").filter(Boolean);
    const described = { branch, target, commits: lines(log), uncommitted: lines(status) };
    let shown: string | undefined;
    return {
        folder: root,
        repository,
        ...described,
        async diff() {
            // Otherwise the diff would lack new files.
            await requireGit(root, ["add", "--all", "--intent-to-add"]);
            shown = await diffFrom(root, target, ["--full-index"]);
            return diffFrom(root, target);
        },
        merge: (message) => merge({ root, repository, shown, ...described }, message),
        remove: () => remove({ root, repository, branch }),
    };
}

function diffFrom(root: string, target: string, options: readonly string[] = []): Promise<string> {
    const plain = ["--no-ext-diff", "--no-textconv"];
    return requireGit(root, ["diff", ...plain, ...options, "--merge-base", target]);
}

interface MergedWorktree extends Pick<Worktree, "branch" | "target" | "uncommitted"> {
    readonly root: string;
    readonly repository: string;
    /** What a merge would bring when it was last shown, if it was. */
    readonly shown: string | undefined;
}

async function merge(
    { root, repository, branch, target, uncommitted, shown }: MergedWorktree,
    message: string
): Promise<string> {
    // Before files are staged.
    await requireIdentity(root);
    await requireGit(root, ["add", "--all"]);
    const staged = await diffFrom(root, target, ["--full-index", "--cached"]);
    if (shown !== undefined && staged !== shown) {
        throw new NorthError("changed-since-review", `${root} changed while you looked.`, [
            "Nothing was merged. `/worktree merge` shows it again.",
        ]);
    }
    if (uncommitted.length > 0) await requireGit(root, ["commit", "--quiet", "-m", message]);
    try {
        await requireGit(repository, ["merge", "--no-edit", branch]);
    } catch (error) {
        const unmerged = ["diff", "--name-only", "--diff-filter=U"];
        const conflicts = (await requireGit(repository, unmerged)).split("\n").filter(Boolean);
        if (conflicts.length === 0) throw error;
        await requireGit(repository, ["merge", "--abort"]);
        const files = `${counted(conflicts.length, "file")}: ${conflicts.join(", ")}`;
        throw new NorthError("merge-conflict", `${branch} conflicts with ${target} in ${files}.`, [
            `Nothing was merged. Merge ${target} into ${branch} here, resolve, and try again.`,
        ]);
    }
    return `Merged ${branch} into ${target} in ${repository}.`;
}

async function remove({
    root,
    repository,
    branch,
}: Pick<MergedWorktree, "root" | "repository" | "branch">): Promise<string> {
    await requireGit(repository, ["worktree", "remove", "--force", root]);
    const folder = path.dirname(root);
    // Made with its first worktree; kept as long as another is in it.
    if (folder === `${repository}.worktrees`) await rmdir(folder).catch(() => {});
    const isDeleted = await runGit(repository, ["branch", "-d", branch]);
    return isDeleted
        ? `Removed ${root} and its branch ${branch}.`
        : `Removed ${root}. Its branch ${branch} is kept: it is not merged.`;
}
