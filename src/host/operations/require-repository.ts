import { runGit } from "../../base/git.js";
import { NorthError } from "../../base/north-error.js";
import { hasGit } from "../../workspace/find-root.js";

/**
 * Rejects with `not-a-repository` and these next steps. A bare repository, whose own files git
 * would take for a work tree here, is none.
 */
export async function requireRepository(root: string, next: readonly string[]): Promise<void> {
    if (hasGit(root) && (await runGit(root, ["rev-parse", "--git-dir"]))) return;
    throw new NorthError(
        "not-a-repository",
        `${root} is not a git repository with a work tree.`,
        next
    );
}

/** For a commit or a note. Rejects with `no-git-identity`. */
export async function requireIdentity(root: string): Promise<void> {
    if (await runGit(root, ["var", "GIT_COMMITTER_IDENT"])) return;
    throw new NorthError("no-git-identity", "Git does not know your name and email.", [
        'Run `git config --global user.name "YOUR NAME"` and `git config --global user.email EMAIL`.',
    ]);
}
