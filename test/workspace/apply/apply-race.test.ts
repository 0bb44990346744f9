import { once } from "node:events";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import path from "node:path";
import { expect } from "chai";
import { isExpectedError } from "../../../src/base/north-error.js";
import { createChangeApplier } from "../../../src/workspace/apply/apply-change-set.js";
import { removeFolder } from "../../helpers/remove-folder.js";
import { change, changeSet, readText, snapshot, temporaryFolder } from "./apply-fixture.js";
import { bundleChild, ended, start } from "./apply-program.js";

describe("Races during an apply", () => {
    let top: string;
    let root: string;
    let program: string;
    const original = { renameSync: fs.renameSync, linkSync: fs.linkSync };

    before(() => {
        top = temporaryFolder();
        program = bundleChild();
    });
    after(() => removeFolder(top));
    beforeEach(() => {
        root = path.join(top, "repository");
        fs.mkdirSync(root);
    });
    afterEach(() => {
        Object.assign(fs, original);
        syncBuiltinESMExports();
        removeFolder(root);
    });

    /** Does something in the last moment before a system call of the applier. */
    function justBefore(call: "renameSync" | "linkSync", act: () => void): void {
        let isFirst = true;
        fs[call] = (from, to) => {
            if (isFirst) {
                isFirst = false;
                act();
            }
            original[call](from, to);
        };
        syncBuiltinESMExports();
    }

    const withOwnIdentities = (from: fs.PathLike, to: fs.PathLike) =>
        fs.copyFileSync(from, to, fs.constants.COPYFILE_EXCL);
    for (const [linkSync, where] of [
        [original.linkSync, ""],
        [withOwnIdentities, ", also where each name of a file has its own identity"],
    ] as const) {
        it(`A write in the last moment is noticed and left in place${where}`, async () => {
            fs.writeFileSync(path.join(root, "a"), "1");
            fs.writeFileSync(path.join(root, "b"), "1");
            fs.linkSync = linkSync;
            justBefore("renameSync", () => fs.appendFileSync(path.join(root, "b"), " and more"));
            const outcome = await createChangeApplier({ root }).apply(
                changeSet(change("a", "1", "2"), change("b", "1", "2"), change("c", null, "2"))
            );
            expect(outcome).to.deep.equal({ kind: "stale", paths: ["b"] });
            expect(snapshot(root)).to.deep.equal({ a: "1", b: "1 and more" });
        });
    }

    it("A file replaced between two files of the set is noticed", async () => {
        fs.writeFileSync(path.join(root, "a"), "1");
        fs.writeFileSync(path.join(root, "b"), "1");
        justBefore("renameSync", () => {
            fs.writeFileSync(path.join(root, "b.new"), "saved by an editor");
            original.renameSync(path.join(root, "b.new"), path.join(root, "b"));
        });
        const outcome = await createChangeApplier({ root }).apply(
            changeSet(change("a", "1", "2"), change("b", "1", "2"))
        );
        expect(outcome).to.deep.equal({ kind: "stale", paths: ["b"] });
        expect(snapshot(root)).to.deep.equal({ a: "1", b: "saved by an editor" });
    });

    it("A folder that is moved away in the last moment is noticed, and nothing is written in it", async () => {
        fs.mkdirSync(path.join(root, "sub"));
        fs.writeFileSync(path.join(root, "a"), "1");
        fs.writeFileSync(path.join(root, "sub/b"), "1");
        justBefore("renameSync", () => {
            original.renameSync(path.join(root, "sub"), path.join(root, "moved"));
        });
        const outcome = await createChangeApplier({ root })
            .apply(changeSet(change("a", "1", "2"), change("sub/b", "1", "2")))
            .catch((error: unknown) => error);
        expect(outcome).not.to.have.property("kind", "applied");
        expect(snapshot(root)).to.deep.include({ a: "1", "moved/b": "1" });
    });

    it("A file that appears in the last moment is not overwritten", async () => {
        fs.writeFileSync(path.join(root, "a"), "1");
        justBefore("linkSync", () => fs.writeFileSync(path.join(root, "new/c"), "theirs"));
        const outcome = await createChangeApplier({ root }).apply(
            changeSet(change("a", "1", "2"), change("new/c", null, "mine"))
        );
        expect(outcome).to.deep.equal({ kind: "stale", paths: ["new/c"] });
        expect(snapshot(root)).to.deep.equal({ a: "1", new: "<folder>", "new/c": "theirs" });
    });

    it("A file written to in the moment of its deletion is restored", async () => {
        fs.writeFileSync(path.join(root, "a"), "1");
        justBefore("renameSync", () => fs.appendFileSync(path.join(root, "a"), " and more"));
        const outcome = await createChangeApplier({ root }).apply(
            changeSet(change("a", "1", null))
        );
        expect(outcome).to.deep.equal({ kind: "stale", paths: ["a"] });
        expect(snapshot(root)).to.deep.equal({ a: "1 and more" });
    });

    it("A link made between review and apply is refused", async () => {
        fs.mkdirSync(path.join(top, "elsewhere"));
        fs.writeFileSync(path.join(top, "elsewhere/a"), "1");
        fs.mkdirSync(path.join(root, "sub"));
        const reviewed = changeSet(change("sub/a", "1", "2"));
        fs.rmdirSync(path.join(root, "sub"));
        fs.symlinkSync(path.join(top, "elsewhere"), path.join(root, "sub"));
        let thrown: unknown;
        await createChangeApplier({ root })
            .apply(reviewed)
            .catch((error: unknown) => (thrown = error));
        expect(isExpectedError(thrown) && thrown.code).to.equal("outside-repository");
        expect(snapshot(path.join(top, "elsewhere"))).to.deep.equal({ a: "1" });
    });

    it("Nothing is written outside while a folder is swapped for a link and back", async () => {
        const elsewhere = path.join(top, "outside");
        fs.mkdirSync(elsewhere);
        fs.mkdirSync(path.join(root, "sub"));
        fs.symlinkSync(elsewhere, path.join(root, "link-to-outside"));
        const child = start(program, "swapForever", root);
        const end = ended(child);
        await once(child.stdout ?? child, "data");
        const seen = new Map<string, number>();
        // On a busy machine the one who swaps may get no turn for a while.
        for (let index = 0; index < 300 || seen.size < 2; index++) {
            const outcome = await createChangeApplier({ root })
                .apply(changeSet(change(`sub/file-${index}`, null, "x")))
                .then(
                    ({ kind }) => kind,
                    (error: unknown) => {
                        if (isExpectedError(error)) return error.code;
                        throw error;
                    }
                );
            seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
        }
        child.kill("SIGKILL");
        await end;
        expect(snapshot(elsewhere)).to.deep.equal({});
    });

    it("Several processes that take turns lose no update", async () => {
        const journal = path.join(top, "journal");
        fs.writeFileSync(path.join(root, "counter"), "0");
        const children = [1, 2, 3].map(() => start(program, "increment", root, journal, "20"));
        expect(await Promise.all(children.map(ended))).to.deep.equal([0, 0, 0]);
        expect(readText(root, "counter")).to.equal("60");
        expect(fs.readdirSync(root)).to.deep.equal(["counter"]);
        expect(fs.readdirSync(journal)).to.deep.equal([]);
    });
});
