import { execFileSync } from "node:child_process";
import { chmodSync, existsSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { currentWorktree, openWorktree } from "../../src/host/operations/worktree.js";
import { GitPrograms } from "../../src/workspace/apply/git-programs.js";
import { gitTree } from "../../src/workspace/git-tree.js";
import { git, makeFolder, makeRepository, refusal } from "./make-folder.js";

function repositoryWithCommit(): string {
    const root = makeRepository({ "a.txt": "a\n" });
    git(root, "add", "--all");
    git(root, "commit", "--quiet", "--message", "one");
    return root;
}

/** Options of `git config` and `git worktree list`, and the versions that brought them. */
const NEWER = { "--show-scope": "2.26", "list --porcelain -z": "2.36" };

describe("An older git", () => {
    const { PATH } = process.env;
    afterEach(() => {
        process.env.PATH = PATH;
    });

    /** From now on git refuses an option, as one that does not know it. */
    function withoutOption(option: keyof typeof NEWER): void {
        const real = execFileSync("bash", ["-c", "type -P git"], { encoding: "utf8" }).trim();
        const refusal = `case " $* " in *" ${option} "*) echo 'unknown option' >&2; exit 129 ;; esac`;
        const folder = makeFolder({ git: `#!/bin/sh\n${refusal}\nexec '${real}' "$@"\n` });
        chmodSync(path.join(folder, "git"), 0o755);
        process.env.PATH = `${folder}:${PATH}`;
    }

    it("Without --show-scope, programs in the repository's settings are not run unseen", async () => {
        const root = repositoryWithCommit();
        withoutOption("--show-scope");
        expect(await refusal(() => openWorktree(root, "fix"))).to.equal("git-failed");
        expect(existsSync(`${root}.worktrees`)).to.equal(false);
        expect(await gitTree(root)).to.equal(undefined);
        git(root, "config", "filter.mine.clean", "tools/clean.sh %f");
        const isRun = await new GitPrograms(root).current();
        expect([isRun("tools/clean.sh"), isRun("a.txt")]).to.deep.equal([true, false]);
    });

    it("Without -z, a worktree is opened, described and opened again", async () => {
        const root = repositoryWithCommit();
        withoutOption("list --porcelain -z");
        const place = await openWorktree(root, "fix");
        expect(place).to.equal(`${root}.worktrees/fix`);
        expect(await openWorktree(root, "fix")).to.equal(place);
        expect(await currentWorktree(place)).to.include({ repository: root, branch: "fix" });
    });
});
