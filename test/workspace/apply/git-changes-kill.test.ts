import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { patient } from "../../helpers/patience.js";
import { sampledSteps } from "../../helpers/sample.js";
import { indexVersion, LIST_INDEX } from "../../../src/base/index-entries.js";
import type { RepositoryPlan } from "../../../src/base/repository-plan.js";
import { recoverInterruptedApply } from "../../../src/workspace/apply/journal.js";
import { completeGitChanges } from "../../../src/workspace/apply/apply-git-changes.js";
import { recoverGitChanges } from "../../../src/workspace/apply/git-changes-journal.js";
import { git } from "../make-folder.js";
import { removeFolder } from "../../helpers/remove-folder.js";
import { journalIn, temporaryFolder } from "./apply-fixture.js";
import { bundleChild, ended, firstStep, killNear, start } from "./apply-program.js";

describe("Kill during the takeover of a commit", function () {
    this.timeout(patient(240_000));
    let top: string;
    let root: string;
    /** Before anything is taken over; copied for each step. */
    let fresh: string;
    let program: string;
    /** See `killBetween`; found once. */
    let between = 0;

    before(() => {
        top = temporaryFolder();
        program = bundleChild();
        [root, fresh] = [path.join(top, "repository"), path.join(top, "fresh")];
        fs.mkdirSync(fresh);
        write(fresh, { a: "old a", d: "old d" });
        git(fresh, "init", "--quiet", "--initial-branch=main");
        for (const [name, value] of [
            ["user.name", "Test"],
            ["user.email", "test@example.org"],
            ["gc.auto", "0"],
        ] as const) {
            git(fresh, "config", name, value);
        }
        git(fresh, "add", "-A");
        git(fresh, "commit", "--quiet", "-m", "first");
        write(fresh, { a: "stashed" });
        git(fresh, "stash", "--quiet");
        fs.writeFileSync(path.join(top, "plan.json"), JSON.stringify(planOf(made())));
    });
    after(() => removeFolder(top));

    function write(folder: string, files: Readonly<Record<string, string>>): void {
        for (const [name, text] of Object.entries(files)) {
            fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
            fs.writeFileSync(path.join(folder, name), text);
        }
    }

    function copy(to: string): void {
        removeFolder(to);
        fs.cpSync(fresh, to, { recursive: true, preserveTimestamps: true });
    }

    /** A copy in which a command committed, switched branches, stashed twice, and staged. */
    function made(): string {
        const folder = path.join(top, "made");
        copy(folder);
        git(folder, "stash", "drop", "--quiet");
        for (const text of ["one", "two"]) {
            write(folder, { a: text });
            git(folder, "stash", "--quiet", "-m", text);
        }
        write(folder, { a: "new a", "sub/b": "new b" });
        fs.chmodSync(path.join(folder, "a"), 0o755);
        fs.rmSync(path.join(folder, "d"));
        git(folder, "add", "-A");
        git(folder, "commit", "--quiet", "-m", "second");
        git(folder, "tag", "v1");
        git(folder, "checkout", "--quiet", "-b", "topic");
        return folder;
    }

    function planOf(folder: string): RepositoryPlan {
        const idOf = (where: string, name: string) => git(where, "rev-parse", name).trim();
        const [before, after] = [idOf(fresh, "HEAD"), idOf(folder, "HEAD")];
        const pack = path.join(top, "pack");
        const all = ["--all", "--reflog", "--stdout", "--quiet"];
        const script = `git pack-objects ${all.join(" ")} >"$1"`;
        execFileSync("sh", ["-c", script, "sh", pack], { cwd: folder, stdio: "ignore" });
        const message = "commit: second";
        return {
            moves: [
                { name: "refs/heads/main", before, after, message },
                { name: "refs/heads/topic", after, message: "branch: Created from HEAD" },
                { name: "refs/tags/v1", after, message: "" },
            ],
            head: { before: "refs/heads/main", after: "refs/heads/topic", message: "checkout" },
            stash: {
                log: fs.readFileSync(path.join(fresh, ".git/logs/refs/stash"), "latin1"),
                dropped: [0],
                pushed: ["stash@{1}", "stash@{0}"].map((name) => ({
                    id: idOf(folder, name),
                    message: name,
                })),
            },
            index: {
                file: path.join(folder, ".git/index"),
                before: indexVersion(git(fresh, ...LIST_INDEX)),
            },
            files: [{ name: "NOTES_HEAD", after: "noted\n" }],
            pack,
        };
    }

    /** Files, references, stash, index and state files; fails if the repository is damaged. */
    function state(): string {
        git(root, "fsck", "--strict", "--no-dangling");
        const noted = path.join(root, ".git/NOTES_HEAD");
        const locks = fs.readdirSync(path.join(root, ".git")).filter((name) => /lock$/.test(name));
        const files = ["a", "d", "sub/b"].map((name) => {
            const place = path.join(root, name);
            return fs.existsSync(place) && fs.readFileSync(place, "utf8");
        });
        return [
            JSON.stringify([files, fs.existsSync(noted), locks]),
            fs.readFileSync(path.join(root, ".git/HEAD"), "utf8"),
            git(root, "for-each-ref", "--format=%(refname) %(objectname)"),
            git(root, "reflog", "--format=%H", "refs/stash", "--"),
            git(root, "ls-files", "-s"),
            git(root, "status", "--porcelain"),
        ].join("\n");
    }

    async function recover() {
        await recoverInterruptedApply(journalIn(path.join(top, "journal")));
        return recoverGitChanges(journalIn(path.join(top, "taking")), completeGitChanges);
    }

    /** Leaves the files written and git as it was. */
    async function killBetween(): Promise<void> {
        const killAt = async (step: number) => {
            removeFolder(path.join(top, "taking"));
            copy(root);
            const end = await takeOver(step);
            await recoverInterruptedApply(journalIn(path.join(top, "journal")));
            return end;
        };
        const isWritten = () => fs.readFileSync(path.join(root, "a"), "utf8") === "new a";
        between ||= await firstStep(async (step) => {
            await killAt(step);
            return isWritten();
        });
        await killNear(between, killAt, isWritten);
    }

    function takeOver(step: number): Promise<number | string> {
        const journal = path.join(top, "journal");
        return ended(start(program, "takeOver", root, journal, String(step)));
    }

    it("A kill at any step leaves files, branches, stash and index all before or all after, once recovered", async () => {
        copy(root);
        const before = state();
        expect(await takeOver(0), "without a kill").to.equal(0);
        const after = state();
        expect(after).to.contain("refs/heads/topic").and.contain("new b");
        const found: string[] = [];
        for (const step of sampledSteps()) {
            copy(root);
            const end = await takeOver(step);
            if (end === 0) break;
            expect(end).to.equal("SIGKILL");
            expect((await recover()).incomplete, `killed before step ${step}`).to.deep.equal([]);
            const now = state();
            expect([before, after], `killed before step ${step}`).to.include(now);
            if (found.at(-1) !== now) found.push(now);
            for (const name of ["journal", "taking"]) {
                const left = path.join(top, name);
                expect(fs.existsSync(left) ? fs.readdirSync(left) : [], name).to.deep.equal([]);
            }
        }
        expect(found, "first all before, from some step on all after").to.deep.equal([
            before,
            after,
        ]);
    });

    it("What a kill interrupted and somebody changed since is named, not dropped silently", async () => {
        await killBetween();
        // As git advises.
        fs.rmSync(path.join(root, ".git/index.lock"));
        git(root, "commit", "--quiet", "--allow-empty", "-m", "meanwhile");
        const taking = journalIn(path.join(top, "taking"));
        expect(await recoverGitChanges(taking, completeGitChanges)).to.deep.equal({
            completed: [],
            incomplete: [root],
        });
    });

    it("The lock of a git command that is at work is left to it after a kill", async () => {
        await killBetween();
        const lock = path.join(root, ".git/index.lock");
        // Git writes into it last.
        fs.writeFileSync(lock, "");
        expect((await recover()).incomplete).to.deep.equal([root]);
        expect(fs.existsSync(lock)).to.equal(true);
    });

    it("Two Norths that start at once after a kill complete git changes once", async () => {
        await killBetween();
        const taking = journalIn(path.join(top, "taking"));
        let runs = 0;
        const complete: typeof completeGitChanges = async (...given) => {
            runs += 1;
            return completeGitChanges(...given);
        };
        const both = [recoverGitChanges(taking, complete), recoverGitChanges(taking, complete)];
        const found = (await Promise.all(both)).flatMap(({ completed }) => completed);
        expect([runs, found]).to.deep.equal([1, [root]]);
        expect(git(root, "log", "-1", "--format=%s").trim()).to.equal("second");
    });
});
