import { execFileSync } from "node:child_process";
import { cpSync, existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import fc from "fast-check";
import type { ContainedRun } from "../../../src/shell/containment/containment.js";
import { createChangeApplier } from "../../../src/workspace/apply/apply-change-set.js";
import { gitChangesJournal } from "../../../src/host/project/apply-journal.js";
import { obstacleTo, applyGitChanges } from "../../../src/workspace/apply/apply-git-changes.js";
import { patient } from "../../helpers/patience.js";
import { git, PROPERTY_RUNS } from "../../workspace/make-folder.js";
import { ContainedProject, describeContained } from "./contained.js";

/** Every commit gets the same time, so that equal ones have equal ids. */
const DATES = "export GIT_AUTHOR_DATE=2026-01-01T00:00:00Z GIT_COMMITTER_DATE=2026-01-01T00:00:00Z";

/** Nothing is written beside git's folder. */
const NO_FILES = { changes: [], write: () => Promise.resolve({ kind: "applied" }) };

async function makeProject(): Promise<ContainedProject> {
    const project = await ContainedProject.make({
        "a.txt": "a\n",
        "b.txt": "b\n",
        ".gitignore": "dist\n",
    });
    bash(
        project.root,
        `git config user.name Test; git config user.email test@example.org
        git checkout --quiet -b main; git add -A; git commit --quiet -m first`
    );
    return project;
}

/** Many commands of git in one process, as starting one takes a test's process longest. */
function bash(root: string, script: string): string {
    return execFileSync("bash", ["-c", script], {
        cwd: root,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
    });
}

/** Runs a command contained and accepts all it did. */
async function accept(project: ContainedProject, command: string): Promise<ContainedRun> {
    return acceptRun(project, await project.run(command, { holdsOutputs: true }));
}

async function acceptRun(project: ContainedProject, run: ContainedRun): Promise<ContainedRun> {
    try {
        expect(run.refusal?.text).to.equal(undefined);
        const { root } = project;
        if (run.repository) expect(await obstacleTo(root, run.repository.plan)).to.equal(undefined);
        const { effects: changes } = run;
        const write = () => createChangeApplier({ root }).apply({ changes });
        if (run.repository) {
            const journal = gitChangesJournal(project.home);
            await applyGitChanges(root, run.repository.plan, journal, { changes, write });
        } else {
            await write();
        }
    } finally {
        await run.layer?.release();
    }
    return run;
}

function linesOf({ repository }: ContainedRun): string[] {
    return (repository?.shown.changes ?? []).map(({ what, detail }) =>
        detail === undefined ? what : `${what} · ${detail}`
    );
}

function withoutIds(lines: readonly string[]): string[] {
    return lines.map((line) => line.replace(/\b[0-9a-f]{7}\b/g, "ID"));
}

/** What git says of a repository. The stash's name has a time, its ids have not. */
function stateOf(root: string): string {
    const questions = [
        "cat .git/HEAD",
        "git for-each-ref --format='%(refname) %(objectname) %(symref)'",
        "git ls-files -s -v",
        "git stash list",
        "git status --porcelain",
        "git diff-files --name-only",
        ...["MERGE_HEAD", "MERGE_MSG", "CHERRY_PICK_HEAD"].map((name) => `cat .git/${name}`),
        "git fsck --no-dangling --no-progress",
    ];
    return bash(root, questions.map((each) => `${each} || echo "failed: $?"; echo ---`).join("\n"));
}

describeContained("git's folder", () => {
    const messages: readonly (readonly [
        command: string,
        ...messages: [of: string, text: string][],
    ])[] = [
        ["git commit -q --allow-empty -m title"],
        [
            "git commit -q --allow-empty -m title -m 'a body' -m '@@ -1 +1 @@'",
            ["ID", "title\n\na body\n\n@@ -1 +1 @@"],
        ],
        [`git commit -q --allow-empty -m ${"long".repeat(30)}`, ["ID", "long".repeat(30)]],
        ["git commit -q --allow-empty -m 1; git commit -q --allow-empty -m 2", ["ID", "1"]],
        ["git tag -a v1 -m title -m body", ["tag v1", "title\n\nbody"]],
        ["git checkout -q -b t; git commit -q --allow-empty -m a -m b", ["ID", "a\n\nb"]],
        ["echo x >>a.txt; git stash -q"],
        ["git update-ref refs/remotes/o/m $(git commit-tree -p HEAD -m a -m b HEAD^{tree})"],
    ];
    for (const [command, ...expected] of messages) {
        it(`A review shows all of a message that its title does not say: ${command}`, async () => {
            const project = await makeProject();
            const { repository } = await accept(project, `${DATES}; ${command}; true`);
            const found = (repository?.shown.messages ?? []).map(({ of, text }) => [
                ...withoutIds([of]),
                text,
            ]);
            expect(found).to.deep.equal(expected);
        });
    }

    it("A review shows 20 messages, and counts the others", async () => {
        const project = await makeProject();
        const many = "for i in $(seq 25); do git commit -q --allow-empty -m $i -m body; done";
        const run = await accept(project, many);
        expect(run.repository?.shown.messages).to.have.length(20);
        expect(linesOf(run)).to.include("Add 5 more messages, not shown");
    });

    const told: readonly (readonly [before: string, command: string, ...lines: string[]])[] = [
        [
            "echo x >>a.txt",
            "git commit -qam 'Fix retry'",
            'Commit to main: "Fix retry" · 1 file +1 -0',
        ],
        [
            "",
            "rm a.txt; mkdir a.txt; echo x >a.txt/b; git add -A; git commit -qm folder",
            'Commit to main: "folder" · 2 files +1 -1',
        ],
        ["", "echo y >c; git add c", "Stage c"],
        ["echo x >>a.txt; git add a.txt", "git reset -q", "Unstage a.txt"],
        ["", "git rm -q --cached a.txt", "Stage a.txt (deleted)"],
        [
            "",
            "echo 1 >c; git add c; git commit -qm 1; echo 2 >c; git commit -qam 2",
            '2 commits to main: "2" · 1 file +1 -0',
        ],
        [
            "",
            "git commit -q --amend -m other",
            'Amend the last commit of main: "other" · 0 files +0 -0',
        ],
        ["", "git branch topic", 'Create new branch topic at ID "first"'],
        [
            "",
            `git commit -q --allow-empty -m 'a", Delete branch "main'`,
            `Commit to main: "a', Delete branch 'main" · 0 files +0 -0`,
        ],
        [
            "",
            "git checkout -q -b topic",
            'Create new branch topic at ID "first"',
            "Switch to topic",
        ],
        ["git branch topic", "git branch -D topic", "Delete branch topic · was ID"],
        ["", "git tag v1", 'Create tag v1 at ID "first"'],
        ["git tag v1", "git tag -d v1", "Delete tag v1 · was ID"],
        // As a first fetch does since git 2.48.
        [
            "git update-ref refs/remotes/origin/main HEAD",
            "git symbolic-ref refs/remotes/origin/HEAD refs/remotes/origin/main",
            "Point origin/HEAD at origin/main",
        ],
        [
            "",
            "git update-ref refs/remotes/my/fork/main HEAD; git symbolic-ref refs/remotes/my/fork/HEAD refs/remotes/my/fork/main",
            'Create my/fork/main at ID "first"',
            "Point my/fork/HEAD at my/fork/main",
        ],
        // Whatever wrote it, the line claims no fetch.
        [
            "",
            "git update-ref refs/remotes/origin/main $(git commit-tree -p HEAD -m forged HEAD^{tree})",
            'Create origin/main at ID "forged"',
        ],
        [
            "git update-ref refs/remotes/origin/main HEAD",
            "git fetch -q . $(git commit-tree -p HEAD -m next HEAD^{tree}):refs/remotes/origin/main",
            'Move origin/main to ID "next" · 1 commit forward',
        ],
        ["echo x >>a.txt", "git stash -q", 'Stash: "WIP on main: ID first"'],
        [
            "echo x >>a.txt; git stash -q",
            "git stash pop -q",
            'Drop stash@{0}: "WIP on main: ID first" · was ID',
        ],
        ["", "git checkout -q --detach", 'Detach HEAD at ID "first"'],
        [
            "git commit -q --allow-empty -m second",
            "git reset -q --hard HEAD~1",
            'Move main to ID "first" · 1 commit back',
        ],
        [
            "git checkout -q -b t; git commit -q --allow-empty -m t; git checkout -q main",
            "git merge -q t",
            'Move main to ID "t" · 1 commit forward',
        ],
        [
            "git checkout -q -b t; echo t >a.txt; git commit -qam t; git checkout -q main; echo m >a.txt; git commit -qam m",
            "git merge -q t",
            "Begin a merge · 1 conflict",
        ],
        [
            "",
            "git -c user.name=Eve commit -q --allow-empty -m x",
            'Commit to main: "x" · 0 files +0 -0, by Eve <test@example.org>',
        ],
        [
            "git config rerere.enabled true",
            "git commit -q --allow-empty -m recorded",
            'Commit to main: "recorded" · 0 files +0 -0',
        ],
        [
            "",
            "git notes add -m hello",
            "Create notes commits at ID \"Notes added by 'git notes add'\"",
        ],
    ];
    for (const [before, command, ...lines] of told) {
        it(`North reports what a command did in git's folder, and a yes applies it: ${command}`, async () => {
            const project = await makeProject();
            const copy = `${project.root}-copy`;
            const runs = (root: string, text: string) => bash(root, `${DATES}; ${text}; true`);
            if (before !== "") runs(project.root, before);
            cpSync(project.root, copy, { recursive: true, preserveTimestamps: true });
            const run = await accept(project, `${DATES}; ${command}; true`);
            const shown = withoutIds(linesOf(run));
            expect(shown).to.deep.equal(lines);
            runs(copy, command);
            expect(stateOf(project.root)).to.equal(stateOf(copy));
        });
    }

    const settings: readonly string[] = [
        "rm -rf .git; git init -q --object-format=sha256",
        "git config index.version 4; git update-index --index-version 4",
        "git config core.untrackedCache true; git update-index --untracked-cache",
        "git config feature.manyFiles true",
        "mkdir x y; touch x/1 y/2; git add -A; git commit -qm more; git sparse-checkout set x --cone --sparse-index",
        "git config core.autocrlf true",
        "git config color.ui always; git config column.ui always; git config core.abbrev 40",
        "git config status.short true; git config status.showUntrackedFiles no; git config diff.noprefix true",
        "git config log.date relative; git config format.pretty oneline; git config i18n.logOutputEncoding ISO-8859-1",
        "git config core.logAllRefUpdates false; rm -rf .git/logs",
        "git pack-refs --all; git gc -q; git multi-pack-index write --bitmap; git commit-graph write --reachable",
        "git config extensions.worktreeConfig true; git config --worktree user.name Tree",
        "git checkout -q -b 'größe/ünï-b.c+d@e'; git tag main",
        "git commit -q --allow-empty -m two; git replace HEAD HEAD~1",
    ];
    for (const setting of settings) {
        it(`A commit is the same as for real after: ${setting}`, async () => {
            const project = await makeProject();
            const identity = "git config user.name T; git config user.email t@example.org";
            bash(project.root, `${setting}; ${identity}`);
            const copy = `${project.root}-copy`;
            cpSync(project.root, copy, { recursive: true, preserveTimestamps: true });
            const command = `${DATES}; echo x >>a.txt; git add -A; git commit -qm fix`;
            await accept(project, command);
            bash(copy, command);
            expect(stateOf(project.root)).to.equal(stateOf(copy));
        });
    }

    const never: readonly (readonly [command: string, text: string])[] = [
        ["git config core.pager evil", ".git/config"],
        ["git config alias.st '!evil'; git commit -q --allow-empty -m x", ".git/config"],
        ["echo x >.git/hooks/pre-commit", ".git/hooks/pre-commit"],
        ["mkdir .git/HOOKS; echo x >.git/HOOKS/pre-commit", ".git/HOOKS/pre-commit"],
        ["echo '/etc' >.git/objects/info/alternates", ".git/objects/info/alternates"],
        ["echo x >.git/info/attributes", ".git/info/attributes"],
        ["mkdir -p .git/info; echo x >.git/info/grafts", ".git/info/grafts"],
        ["git rev-parse HEAD >.git/shallow", ".git/shallow"],
        ["echo ../other >.git/commondir", ".git/commondir"],
        ["echo /x >.git/gitdir", ".git/gitdir"],
        [
            "git replace -f HEAD HEAD^{tree} || git update-ref refs/replace/$(git rev-parse HEAD) HEAD",
            ".git/refs/replace/",
        ],
        ["git worktree add -q /tmp/w", ".git/worktrees/"],
        ["git symbolic-ref refs/heads/x refs/heads/main", ".git/refs/heads/x"],
        ["echo 'ref: ../../../etc/passwd' >.git/HEAD", ".git/HEAD"],
        ["echo 'ref: refs/tags/x' >.git/HEAD", ".git/HEAD"],
        ["echo 'ref: refs/heads/../../config' >.git/HEAD", ".git/HEAD"],
        ["git rev-parse HEAD >.git/refs/heads/-x", ".git/refs/heads/-x"],
        ["git rev-parse HEAD >.git/refs/heads/HEAD", ".git/refs/heads/HEAD"],
        ["git rev-parse HEAD >'.git/refs/heads/a b'", ".git/refs/heads/a b"],
        ["git rev-parse HEAD >.git/refs/heads/a.lock", ".git/refs/heads/a.lock"],
        ["ln -s ../../config .git/refs/heads/link", ".git/refs/heads/link"],
        ["git update-ref refs/north/x HEAD", ".git/refs/north/x"],
        ["git update-index --skip-worktree a.txt", ".git/index"],
        ["git update-index --assume-unchanged a.txt", ".git/index"],
        [">new; git add -N new", ".git/index"],
        ["rm .git/index", ".git/index"],
        ["git bisect start", ".git/BISECT_"],
        [
            "git checkout -q -b t; echo t >a.txt; git commit -qam t; git checkout -q main; echo m >a.txt; git commit -qam m; git rebase t",
            ".git/rebase-merge/",
        ],
        [
            "git symbolic-ref refs/remotes/origin/HEAD refs/heads/main",
            ".git/refs/remotes/origin/HEAD",
        ],
        [
            "git symbolic-ref refs/remotes/origin/HEAD refs/remotes/other/main",
            ".git/refs/remotes/origin/HEAD",
        ],
        [
            "git symbolic-ref refs/remotes/origin/HEAD refs/remotes/origin/HEAD",
            ".git/refs/remotes/origin/HEAD",
        ],
        [
            "mkdir -p .git/refs/remotes/o; printf 'ref: refs/remotes/o/../../heads/main' >.git/refs/remotes/o/HEAD",
            ".git/refs/remotes/o/HEAD",
        ],
        ["git gc -q --prune=now", "it removes objects"],
        ["git reflog expire --expire=now --all", "it removes reflog entries"],
    ];
    for (const [command, text] of never) {
        it(`This is never applied after a contained run, but asked about: ${command}`, async () => {
            const project = await makeProject();
            git(project.root, "gc", "--quiet");
            git(project.root, "commit", "--quiet", "--allow-empty", "-m", "second");
            const before = stateOf(project.root);
            const run = await project.run(command, { holdsOutputs: true });
            await run.layer?.release();
            expect(run.refusal?.text).to.contain(text);
            expect(run.repository).to.equal(undefined);
            expect(stateOf(project.root)).to.equal(before);
        });
    }

    it("A commit in a submodule needs a real run that names the submodule, a hook there its path", async () => {
        const project = await makeProject();
        bash(
            project.root,
            `git init -q ../library; git -C ../library -c user.name=T -c user.email=t@example.org commit -qm one --allow-empty
            git -c protocol.file.allow=always submodule --quiet add --name vendor/lib "$PWD/../library" lib
            git -C lib config user.name Test; git -C lib config user.email test@example.org`
        );
        const needed = async (command: string) => (await project.run(command)).refusal?.text;
        expect(
            await needed("echo 2 > lib/l.txt; git -C lib add . && git -C lib commit -qm two")
        ).to.match(/^Changes the git repository of the submodule vendor\/lib$/);
        expect(await needed("echo echo > .git/modules/vendor/lib/hooks/post-commit")).to.equal(
            "Changes the git repository: .git/modules/vendor/lib/hooks/post-commit"
        );
    });

    it("Git's automatic gc is off in contained commands, even with settings in variables", async () => {
        const project = await makeProject();
        const { root, home } = project;
        git(root, "config", "gc.auto", "1");
        const variables = new Map([
            ["PATH", process.env.PATH ?? ""],
            ["HOME", home],
            ["GIT_CONFIG_COUNT", "1"],
            ["GIT_CONFIG_KEY_0", "user.name"],
            ["GIT_CONFIG_VALUE_0", "Eve"],
        ]);
        const state = { folder: root, variables, definitions: "" };
        const names = ["gc.auto", "maintenance.auto", "user.name"];
        const command = names.map((name) => `git config ${name}`).join("; ");
        const { outcome } = await project.run(command, { state });
        expect(outcome.stdout).to.equal("0\nfalse\nEve\n");
    });

    it("If two commits from the same state are accepted at once, one is applied whole and the other not at all", async () => {
        for (let time = 0; time < 4; time += 1) {
            const project = await makeProject();
            const { root, home } = project;
            const runs = await Promise.all(
                ["one", "two"].map((name) =>
                    project.run(`echo ${name} >${name}; git add ${name}; git commit -qm ${name}`, {
                        holdsOutputs: true,
                    })
                )
            );
            const taken = await Promise.allSettled(
                runs.map(({ repository, effects: changes }) =>
                    applyGitChanges(root, repository!.plan, gitChangesJournal(home), {
                        changes,
                        write: () => createChangeApplier({ root }).apply({ changes }),
                    })
                )
            );
            for (const { layer } of runs) await layer?.release();
            expect(taken.map(({ status }) => status).sort()).to.deep.equal([
                "fulfilled",
                "rejected",
            ]);
            const refusal = taken.find((each) => each.status === "rejected");
            expect(String(refusal?.reason)).to.contain("was left as it is");
            const made = taken[0]?.status === "fulfilled" ? "one" : "two";
            expect(git(root, "log", "-1", "--format=%s").trim()).to.equal(made);
            expect(bash(root, "git status --porcelain; ls; git stash list")).to.equal(
                ["a.txt", "b.txt", made].join("\n") + "\n"
            );
        }
    });

    it("A commit shows files that the project does not have", async () => {
        const project = await makeProject();
        writeFileSync(path.join(project.root, "a.txt"), "changed\n");
        const run = await project.run(
            "echo evil >evil.ts; git add evil.ts; rm evil.ts; git commit -qm 'Fix'",
            { holdsOutputs: true }
        );
        await run.layer?.release();
        const { unseen = [], isPlain } = run.repository?.shown ?? {};
        expect(unseen.map(({ path: file, after }) => [file, String(after)])).to.deep.equal([
            ["evil.ts", "evil\n"],
        ]);
        expect(isPlain).to.equal(false);
    });

    it("Staged contents that the project does not hold are shown beside a commit", async () => {
        const project = await makeProject();
        const run = await project.run(
            "git commit -q --allow-empty -m x; cp a.txt keep; echo evil >a.txt; git add a.txt; mv keep a.txt",
            { holdsOutputs: true }
        );
        await run.layer?.release();
        expect(linesOf(run)).to.deep.equal(['Commit to main: "x" · 0 files +0 -0', "Stage a.txt"]);
        expect(run.repository?.shown.unseen.map(({ after }) => String(after))).to.deep.equal([
            "evil\n",
        ]);
    });

    /** A commit of no branch in `$e`. */
    const EVIL =
        "echo evil >x; git add x; e=$(git commit-tree -m e $(git write-tree)); git rm -qf x";
    const hidden: readonly (readonly [what: string, command: string, after: readonly string[]])[] =
        [
            [
                "a commit that the next one takes back",
                "echo evil >x; git add x; git commit -qm 1; git rm -q x; git commit -qm 2",
                ["evil\n"],
            ],
            [
                "a merged commit of no branch",
                "t=$(git write-tree); echo evil >x; git add x; e=$(git commit-tree -p HEAD -m e $(git write-tree)); git rm -qf x; git reset -q --soft $(git commit-tree -p HEAD -p $e -m m $t)",
                ["evil\n"],
            ],
            [
                "a link whose target is a file's content",
                "git update-index --cacheinfo 120000,$(git rev-parse HEAD:a.txt),a.txt; git commit -qm x",
                ["a\n"],
            ],
            [
                "what was staged before it was stashed",
                "echo evil >a.txt; git add a.txt; git show HEAD:a.txt >a.txt; echo x >>b.txt; git stash -q",
                ["evil\n"],
            ],
            [
                "a branch at the commit of a remote-tracking branch",
                `${EVIL}; git update-ref refs/remotes/origin/x $e; git branch topic $e`,
                ["evil\n"],
            ],
            [
                "a tag beside a remote-tracking branch, at another commit",
                `${EVIL}; git update-ref refs/remotes/origin/x HEAD; git tag z $e`,
                ["evil\n"],
            ],
            [
                "a side of a conflict",
                "id=$(echo evil | git hash-object -w --stdin); git rm -q --cached b.txt; for n in 1 2 3; do printf '100644 %s %s\\tb.txt\\n' $id $n; done | git update-index --index-info",
                ["evil\n"],
            ],
            [
                "the right to run a file, which only git gets",
                "git update-index --chmod=+x a.txt; git commit -qm x",
                ["a\n"],
            ],
            [
                "one of many tags",
                `${EVIL}; for n in $(seq 10 40); do git tag t$n; done; git tag z $e`,
                ["evil\n"],
            ],
        ];
    for (const [what, command, contents] of hidden) {
        it(`Contents that the project does not have are shown wherever they hide: ${what}`, async () => {
            const project = await makeProject();
            const run = await project.run(command, { holdsOutputs: true });
            await run.layer?.release();
            expect(run.refusal).to.equal(undefined);
            const { unseen = [], isPlain } = run.repository?.shown ?? {};
            const shown = unseen.flatMap(({ after }) => (after ? [String(after)] : []));
            expect(shown).to.include.members([...contents]);
            expect(isPlain).to.equal(false);
        });
    }

    it("A commit moves no submodule unseen, whatever .gitmodules says", async () => {
        const project = await makeProject();
        const [before, after] = ["1".repeat(40), "2".repeat(40)];
        const settings = '[submodule "lib"]\n\tpath = lib\n\turl = x\n\tignore = all\n';
        writeFileSync(path.join(project.root, ".gitmodules"), settings);
        git(project.root, "update-index", "--add", "--cacheinfo", `160000,${before},lib`);
        git(project.root, "add", ".gitmodules");
        git(project.root, "commit", "--quiet", "-m", "with lib");
        const move = `git update-index --cacheinfo 160000,${after},lib`;
        for (const command of [move, `${move}; git commit -qm moved`]) {
            const run = await project.run(command, { holdsOutputs: true });
            await run.layer?.release();
            const { isPlain, unseen } = run.repository?.shown ?? {};
            expect(isPlain, run.refusal?.text).to.equal(false);
            expect(unseen?.map((file) => file.path)).to.deep.equal(["lib"]);
        }
    });

    const beside: readonly (readonly [command: string, line: string])[] = [
        [
            "id=$(echo evil | git hash-object -w --stdin); git rm -q --cached b.txt; for n in 1 2 3; do printf '100644 %s %s\\tb.txt\\n' $id $n; done | git update-index --index-info",
            "Stage 1 conflict",
        ],
        [
            "e=$(git commit-tree -p HEAD -m evil $(git write-tree)); printf '%s\\t\\tbranch x of y\\n' $e >.git/FETCH_HEAD",
            'Name ID "evil" in FETCH_HEAD',
        ],
    ];
    for (const [command, line] of beside) {
        it(`A plain commit hides nothing else that is applied with it: ${line}`, async () => {
            const project = await makeProject();
            const commit = "git commit -q --allow-empty -m x";
            const run = await project.run(`${commit}; ${command}`, { holdsOutputs: true });
            await run.layer?.release();
            expect(run.refusal).to.equal(undefined);
            expect(withoutIds(linesOf(run))).to.include(line);
            expect(run.repository?.shown.isPlain).to.equal(false);
        });
    }

    it("An object whose content does not match its name is not applied", async () => {
        const project = await makeProject();
        const run = await project.run(
            [
                "id=$(echo good | git hash-object -w --stdin)",
                "bad=$(echo evil | git hash-object -w --stdin)",
                "place() { echo .git/objects/${1:0:2}/${1:2}; }",
                "chmod u+w $(place $id); cp $(place $bad) $(place $id)",
                "git update-index --add --cacheinfo 100644,$id,c.txt",
                "git commit -qm forged",
            ].join("; "),
            { holdsOutputs: true }
        );
        await run.layer?.release();
        expect(run.refusal?.text).to.contain("objects that are damaged or missing");
    });

    it("A tree that leads into git's folder is not applied", async () => {
        const project = await makeProject();
        const run = await project.run(
            [
                "blob=$(echo evil | git hash-object -w --stdin)",
                "tree=$(printf '100644 blob %s\\tpre-commit\\n' $blob | git mktree)",
                "top=$(printf '040000 tree %s\\t.git\\n' $tree | git mktree)",
                "git update-ref refs/heads/main $(git commit-tree $top -p HEAD -m x)",
            ].join("; "),
            { holdsOutputs: true }
        );
        await run.layer?.release();
        expect(run.refusal?.text).to.contain("objects that are damaged or missing");
    });

    it("A branch that moved meanwhile is left as it is", async () => {
        const project = await makeProject();
        const { root } = project;
        const run = await project.run("git commit -q --allow-empty -m contained", {
            holdsOutputs: true,
        });
        git(root, "commit", "--quiet", "--allow-empty", "-m", "meanwhile");
        const before = stateOf(root);
        const plan = run.repository?.plan;
        if (!plan) throw new Error("There is nothing to take over.");
        expect(await obstacleTo(root, plan)).to.equal("a branch or tag moved");
        const journal = gitChangesJournal(project.home);
        const refused = await applyGitChanges(root, plan, journal, NO_FILES).catch(String);
        expect(refused).to.contain("The repository was left as it is");
        await run.layer?.release();
        expect(stateOf(root)).to.equal(before);
    });

    for (const [how, meanwhile, obstacle] of [
        ["on another branch", "git switch -q -c topic", "HEAD moved since the command ran"],
        ["while git is at work", ">.git/index.lock", "another git command holds its index"],
    ] as const) {
        it(`A commit that is accepted ${how} writes neither files nor references`, async () => {
            const project = await makeProject();
            const { root } = project;
            const { repository, effects: changes } = await project.run(
                "echo new >a.txt; git commit -qam contained",
                { holdsOutputs: true }
            );
            if (!repository) throw new Error("There is nothing to take over.");
            bash(root, meanwhile);
            const before = stateOf(root);
            let isWritten = false;
            const write = async () => {
                isWritten = true;
                return { kind: "applied" };
            };
            const journal = gitChangesJournal(project.home);
            const taking = applyGitChanges(root, repository.plan, journal, { changes, write });
            expect(await taking.catch(String)).to.contain(`was left as it is: ${obstacle}.`);
            expect(isWritten).to.equal(false);
            expect(stateOf(root)).to.equal(before);
        });
    }

    it("A branch that HEAD leaves while a command commits is left as it is", async () => {
        const project = await makeProject();
        const { root } = project;
        const { refusal } = await project.run(
            "git commit -q --allow-empty -m contained; echo committed",
            { onOutput: () => bash(root, "git switch -q -c topic") }
        );
        expect(refusal?.text).to.equal(".git/HEAD changed while it ran");
    });

    it("Hooks run contained, and no hook runs when their commit is applied", async () => {
        const project = await makeProject();
        const { root } = project;
        for (const hook of [
            "pre-commit",
            "post-commit",
            "reference-transaction",
            "post-index-change",
        ]) {
            writeFileSync(
                path.join(root, ".git/hooks", hook),
                `#!/bin/sh\necho ${hook} >>hooks-ran\n`,
                { mode: 0o755 }
            );
        }
        const run = await project.run("git commit -q --allow-empty -m x", { holdsOutputs: true });
        expect(run.effects.map(({ path: file }) => file)).to.deep.equal(["hooks-ran"]);
        if (run.repository) {
            const journal = gitChangesJournal(project.home);
            await applyGitChanges(root, run.repository.plan, journal, NO_FILES);
        }
        await run.layer?.release();
        expect(git(root, "log", "-1", "--format=%s").trim()).to.equal("x");
        expect(existsSync(path.join(root, "hooks-ran"))).to.equal(false);
    });

    it("Random commands, contained and accepted, leave what the same commands leave when they run for real", async function () {
        this.timeout(patient(600_000));
        const steps = fc.constantFrom(
            "echo 1 >>a.txt",
            "echo 2 >>b.txt",
            "mkdir -p d; echo 3 >>d/c.txt",
            "rm -f b.txt",
            "chmod +x a.txt",
            "git add -A",
            "git add a.txt",
            "git commit -q -m one",
            "git commit -q -a -m all",
            "git commit -q --amend -m amended",
            "git commit -q --allow-empty -m empty",
            "git checkout -q -B topic",
            "git checkout -q main",
            "git checkout -q topic",
            "git checkout -q --detach",
            "git merge -q --no-edit topic",
            "git merge --abort",
            "git cherry-pick topic",
            "git revert --no-edit HEAD",
            "git stash -q",
            "git stash -q -u",
            "git stash pop -q",
            "git stash drop -q",
            "git reset -q --hard HEAD",
            "git reset -q --soft HEAD~1",
            "git reset -q",
            "git tag -f t1",
            "git tag -f -a t2 -m annotated",
            "git branch -q -f other",
            "git branch -q -D other",
            "git mv a.txt e.txt",
            "git rm -q --cached a.txt",
            "git fetch -q . HEAD:refs/remotes/origin/main",
            "git pack-refs --all"
        );
        const commands = fc.array(fc.array(steps, { minLength: 1, maxLength: 4 }), {
            minLength: 1,
            maxLength: 6,
        });
        await fc.assert(
            fc.asyncProperty(commands, async (sequence) => {
                const project = await makeProject();
                const copy = `${project.root}-copy`;
                cpSync(project.root, copy, { recursive: true, preserveTimestamps: true });
                for (const each of sequence) {
                    const command = `${DATES}; ${each.join("; ")}; true`;
                    const run = await project.run(command, { holdsOutputs: true });
                    // What stops halfway through several commits is asked about.
                    if (run.refusal?.text.includes(".git/sequencer")) {
                        await run.layer?.release();
                        return;
                    }
                    await acceptRun(project, run);
                    bash(copy, command);
                    expect(stateOf(project.root), command).to.equal(stateOf(copy));
                }
            }),
            { numRuns: Math.ceil(PROPERTY_RUNS / 6) }
        );
    });
});
