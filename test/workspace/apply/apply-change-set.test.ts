import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import path from "node:path";
import { expect } from "chai";
import * as fc from "fast-check";
import type { ChangeSet } from "../../../src/plugin/index.js";
import { isExpectedError } from "../../../src/base/north-error.js";
import {
    createChangeApplier,
    type ApplyResult,
} from "../../../src/workspace/apply/apply-change-set.js";
import { removeFolder } from "../../helpers/remove-folder.js";
import {
    change,
    changeSet,
    hashOf,
    journalIn,
    readText,
    snapshot,
    temporaryFolder,
    withoutPrivileges,
} from "./apply-fixture.js";

describe("applyChangeSet", () => {
    let top: string;
    let root: string;

    beforeEach(() => {
        top = temporaryFolder();
        root = path.join(top, "repository");
        fs.mkdirSync(root);
    });
    afterEach(() => removeFolder(top));

    const write = (file: string, content: string, mode = 0o644): void => {
        fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
        fs.writeFileSync(path.join(root, file), content);
        fs.chmodSync(path.join(root, file), mode);
    };
    const apply = (set: ChangeSet): Promise<ApplyResult> =>
        createChangeApplier({ root, journal: journalIn(path.join(top, "journal")) }).apply(set);
    const modeOf = (file: string): number => fs.statSync(path.join(root, file)).mode & 0o7777;

    async function expectRefused(set: ChangeSet, code: string): Promise<void> {
        const before = snapshot(top);
        delete before.journal;
        let thrown: unknown;
        try {
            await apply(set);
        } catch (error) {
            thrown = error;
        }
        expect(isExpectedError(thrown) && thrown.code, String(thrown)).to.equal(code);
        const after = snapshot(top);
        delete after.journal;
        expect(after).to.deep.equal(before);
    }

    it("A journal that cannot be written is what the error names", async () => {
        const journal = path.join(top, "journal");
        fs.mkdirSync(journal);
        for (const folder of [top, root]) fs.chmodSync(folder, 0o777);
        const set = changeSet(change("a.txt", null, "one\n"));
        const failure = await withoutPrivileges(() => apply(set).catch(String));
        expect(failure).to.contain(`${journal}/`);
        expect(failure).to.contain("cannot be written (permission denied); nothing was changed");
    });

    it("A file in the place of the journal's folder is named", async () => {
        fs.writeFileSync(path.join(top, "journal"), "");
        const failure = await apply(changeSet(change("a.txt", null, "one\n"))).catch(String);
        expect(failure).to.contain(`${path.join(top, "journal")} must be a folder`);
    });

    it("Files of one set are replaced, created and deleted, and their versions returned", async () => {
        write("a.txt", "one\n");
        write("gone.txt", "bye\n");
        const mode = fs.statSync(path.join(root, "gone.txt")).mode & 0o7777;
        const outcome = await apply(
            changeSet(
                change("a.txt", "one\n", "two\n"),
                change("new/deep/b.txt", null, "b"),
                change("gone.txt", "bye\n", null)
            )
        );
        expect(outcome).to.deep.equal({
            kind: "applied",
            files: [
                {
                    path: "a.txt",
                    beforeHash: hashOf("one\n"),
                    afterHash: hashOf("two\n"),
                    modeBefore: mode,
                    modeAfter: mode,
                },
                {
                    path: "new/deep/b.txt",
                    beforeHash: null,
                    afterHash: hashOf("b"),
                    modeAfter: mode,
                },
                {
                    path: "gone.txt",
                    beforeHash: hashOf("bye\n"),
                    afterHash: null,
                    modeBefore: mode,
                },
            ],
        });
        expect(snapshot(root)).to.deep.equal({
            "a.txt": "two\n",
            new: "<folder>",
            "new/deep": "<folder>",
            "new/deep/b.txt": "b",
        });
        expect(fs.readdirSync(path.join(top, "journal"))).to.deep.equal([]);
    });

    it("The record of a file says if git ignores it", async () => {
        const output = { ...change("dist/a", null, "1"), isIgnored: true };
        const result = await apply(changeSet(output, change("b", null, "1")));
        const files = result.kind === "applied" ? result.files : [];
        expect(files.map(({ path: file, isIgnored }) => [file, isIgnored])).to.deep.equal([
            ["dist/a", true],
            ["b", undefined],
        ]);
    });

    it("The reviewed bytes are written, whatever they are", async () => {
        await fc.assert(
            fc.asyncProperty(
                fc.uint8Array({ maxLength: 300 }),
                fc.uint8Array({ maxLength: 300 }),
                async (before, after) => {
                    fs.writeFileSync(path.join(root, "any"), before);
                    const beforeHash = hashOf(before);
                    await apply(changeSet({ path: "any", before, beforeHash, after }));
                    const written = fs.readFileSync(path.join(root, "any"));
                    expect(written.equals(after)).to.equal(true);
                }
            ),
            { numRuns: 25 }
        );
    });

    for (const mode of [0o755, 0o600, 0o664, 0o444]) {
        it(`The mode ${mode.toString(8)} is kept`, async function () {
            if (mode === 0o444 && process.getuid?.() !== 0) this.skip();
            write("script", "1", mode);
            await apply(changeSet(change("script", "1", "2")));
            expect(modeOf("script")).to.equal(mode);
        });
    }

    it("A new file gets the umask's mode, or exactly the requested one", async () => {
        const previous = process.umask(0o027);
        try {
            await apply(
                changeSet(change("plain", null, "1"), {
                    ...change("tool", null, "1"),
                    mode: 0o755,
                })
            );
        } finally {
            process.umask(previous);
        }
        expect(modeOf("plain")).to.equal(0o640);
        expect(modeOf("tool")).to.equal(0o755);
    });

    it("The owner is kept when the user may change owners", async function () {
        if (process.getuid?.() !== 0) this.skip();
        write("theirs", "1");
        fs.chownSync(path.join(root, "theirs"), 1234, 5678);
        await apply(changeSet(change("theirs", "1", "2")));
        const { uid, gid } = fs.statSync(path.join(root, "theirs"));
        expect([uid, gid]).to.deep.equal([1234, 5678]);
    });

    it("Nothing is written when one of the files differs from the reviewed one", async () => {
        write("a", "1");
        write("b", "changed by somebody");
        const before = snapshot(root);
        const outcome = await apply(
            changeSet(
                change("a", "1", "2"),
                change("b", "1", "2"),
                change("gone", "1", "2"),
                change("sub/new", null, "x")
            )
        );
        expect(outcome).to.deep.equal({ kind: "stale", paths: ["b", "gone"] });
        expect(snapshot(root)).to.deep.equal(before);
    });

    it("A file that appeared where none was is not overwritten", async () => {
        write("new", "somebody's");
        const outcome = await apply(changeSet(change("new", null, "mine")));
        expect(outcome).to.deep.equal({ kind: "stale", paths: ["new"] });
        expect(readText(root, "new")).to.equal("somebody's");
    });

    it("A change is written through a link that leads inside, and the link stays", async () => {
        write("real/file", "1", 0o755);
        fs.symlinkSync("real/file", path.join(root, "link"));
        fs.symlinkSync("real", path.join(root, "folder"));
        await apply(changeSet(change("link", "1", "2")));
        await apply(changeSet(change("folder/new", null, "3")));
        expect(fs.readlinkSync(path.join(root, "link"))).to.equal("real/file");
        expect(readText(root, "real/file")).to.equal("2");
        expect(readText(root, "real/new")).to.equal("3");
        expect(modeOf("real/file")).to.equal(0o755);
    });

    it("One file under two names is refused, because neither change knows of the other", async () => {
        write("real", "1");
        fs.symlinkSync("real", path.join(root, "link"));
        await expectRefused(
            changeSet(change("real", "1", "2"), change("link", "1", "3")),
            "duplicate-path"
        );
    });

    it("Deleting a link is refused", async () => {
        write("real", "1");
        fs.symlinkSync("real", path.join(root, "link"));
        await expectRefused(changeSet(change("link", "1", null)), "not-a-file");
    });

    it("Every path outside the repository is refused", async () => {
        fs.mkdirSync(path.join(top, "outside"));
        fs.writeFileSync(path.join(top, "outside/file"), "1");
        fs.symlinkSync("../outside/file", path.join(root, "link"));
        fs.symlinkSync("../outside/none", path.join(root, "dangling"));
        fs.symlinkSync("../outside", path.join(root, "folder"));
        for (const file of ["../outside/file", "/etc/x", "link", "folder/file"]) {
            await expectRefused(changeSet(change(file, "1", "2")), "outside-repository");
        }

        for (const file of ["../outside/new", "dangling", "folder/new", "folder/sub/new"]) {
            await expectRefused(changeSet(change(file, null, "2")), "outside-repository");
        }
    });

    it("Files of git and of North are refused by any name", async () => {
        for (const folder of [".git/hooks", ".north", "sub/.git"]) {
            fs.mkdirSync(path.join(root, folder), { recursive: true });
        }

        fs.symlinkSync(".git", path.join(root, "innocent"));
        for (const file of [
            ".git/hooks/pre-commit",
            ".GIT/config",
            ".git",
            "sub/.git/config",
            "other/.git",
            ".north/allowlist.json",
            ".North/x",
            "innocent/hooks/pre-commit",
            "sub/../.git/x",
            "a/.g\u200cit/config",
        ]) {
            await expectRefused(changeSet(change(file, null, "x")), "protected-path");
        }

        await apply(
            changeSet(change(".gitignore", null, "x"), change("north/.northignore", null, ""))
        );
        expect(readText(root, ".gitignore")).to.equal("x");
    });

    it("Folders, pipes and devices are refused", async () => {
        fs.mkdirSync(path.join(root, "folder"));
        execFileSync("mkfifo", [path.join(root, "pipe")]);
        for (const file of ["folder", "pipe", ".", ""]) {
            await expectRefused(changeSet(change(file, "1", "2")), "not-a-file");
            await expectRefused(changeSet(change(file, null, "2")), "not-a-file");
        }
        write("file", "1");
        await expectRefused(changeSet(change("file/below", null, "2")), "not-a-folder");
        await expectRefused(changeSet(change("file/below/it", null, "2")), "not-a-folder");
    });

    it("A name that is too long is refused, and nothing changes", async () => {
        write("a", "1");
        await expectRefused(
            changeSet(change("a", "1", "2"), change(`sub/${"x".repeat(300)}`, null, "")),
            "invalid-path"
        );
    });

    it("A name of the maximum length is written", async () => {
        const name = "n".repeat(255);
        await apply(changeSet(change(name, null, "1")));
        await apply(changeSet(change(name, "1", "2")));
        expect(readText(root, name)).to.equal("2");
    });

    it("A folder without write permission refuses the set, and nothing changes", async () => {
        fs.chmodSync(top, 0o755);
        fs.chmodSync(root, 0o777);
        write("a", "1", 0o666);
        write("closed/b", "1", 0o666);
        fs.mkdirSync(path.join(root, "open"), { mode: 0o777 });
        fs.chmodSync(path.join(root, "open"), 0o777);
        fs.chmodSync(path.join(root, "closed"), 0o555);
        const before = snapshot(root);
        const code = await withoutPrivileges(() =>
            createChangeApplier({ root })
                .apply(
                    changeSet(
                        change("a", "1", "2"),
                        change("open/new/c", null, "2"),
                        change("closed/b", "1", "2")
                    )
                )
                .then(String, (error: { code: string }) => error.code)
        );
        expect(code).to.equal("not-writable");
        expect(snapshot(root)).to.deep.equal(before);
        fs.chmodSync(path.join(root, "closed"), 0o755);
    });

    it("Replaced files are restored when a later file cannot be replaced", async function () {
        if (process.getuid?.() !== 0) this.skip();
        fs.chmodSync(top, 0o755);
        fs.chmodSync(root, 0o777);
        write("a", "1", 0o666);
        write("gone", "1", 0o666);
        write("sticky/b", "1", 0o666);
        // In a sticky folder anybody may make files, but not replace those of others.
        fs.chmodSync(path.join(root, "sticky"), 0o1777);
        const before = snapshot(root);
        const inode = fs.statSync(path.join(root, "a")).ino;
        const code = await withoutPrivileges(() =>
            createChangeApplier({ root })
                .apply(
                    changeSet(
                        change("a", "1", "2"),
                        change("gone", "1", null),
                        change("new/c", null, "2"),
                        change("sticky/b", "1", "2")
                    )
                )
                .then(String, (error: { code: string }) => error.code)
        );
        expect(code).to.equal("not-writable");
        expect(snapshot(root)).to.deep.equal(before);
        expect(fs.statSync(path.join(root, "a")).ino, "the very same file").to.equal(inode);
    });

    it("A full disk is reported, and nothing changes", async function () {
        const small = path.join(root, "small");
        fs.mkdirSync(small);
        try {
            execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", small], {
                stdio: "ignore",
            });
        } catch {
            this.skip();
        }
        try {
            write("a", "1");
            write("small/b", "1");
            const big = "x".repeat(200_000);
            await expectRefused(
                changeSet(change("a", "1", "2"), change("small/b", "1", big)),
                "disk-full"
            );
            await expectRefused(changeSet(change("small/sub/c", null, big)), "disk-full");
        } finally {
            execFileSync("umount", [small]);
        }
    });

    it("A read-only file system refuses the set, and nothing changes", async function () {
        const fixed = path.join(root, "fixed");
        fs.mkdirSync(fixed);
        try {
            execFileSync("mount", ["-t", "tmpfs", "-o", "ro", "tmpfs", fixed], { stdio: "ignore" });
        } catch {
            this.skip();
        }
        try {
            write("a", "1");
            await expectRefused(
                changeSet(change("a", "1", "2"), change("fixed/b", null, "1")),
                "not-writable"
            );
        } finally {
            execFileSync("umount", [fixed]);
        }
    });

    it("A file with the maximum number of links is backed up by a copy", async function () {
        write("crowded", "1", 0o755);
        write("fails/later", "1");
        const names = path.join(top, "names");
        fs.mkdirSync(names);
        try {
            for (let index = 0; ; index++) {
                if (index > 70_000) this.skip();
                fs.linkSync(path.join(root, "crowded"), path.join(names, String(index)));
            }
        } catch (error) {
            if ((error as NodeJS.ErrnoException).code !== "EMLINK") throw error;
        }
        await apply(changeSet(change("crowded", "1", "2"), change("new", null, "3")));
        expect(readText(root, "crowded")).to.equal("2");
        expect(readText(names, "7")).to.equal("1");
        expect(modeOf("crowded")).to.equal(0o755);
    });

    it("Concurrent sets are applied one after the other", async () => {
        write("n", "0");
        const applier = createChangeApplier({ root });
        const outcomes = await Promise.all(
            [1, 2, 3, 4].map((value) =>
                applier.apply(changeSet(change("n", String(value - 1), String(value))))
            )
        );
        expect(outcomes.map(({ kind }) => kind)).to.deep.equal(Array(4).fill("applied"));
        expect(readText(root, "n")).to.equal("4");
    });
});
