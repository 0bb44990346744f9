import { expect } from "chai";
import { symlinkSync } from "node:fs";
import path from "node:path";
import { findRoot } from "../../src/workspace/find-root.js";
import { makeFolder, makeRepository, refusal, writeTree } from "./make-folder.js";

describe("findRoot", () => {
    it("finds the nearest folder above that has a .git folder", async () => {
        const root = makeRepository({ "a/b/file": "" });
        expect(await findRoot(path.join(root, "a/b"))).to.deep.equal({ root, isRepository: true });
        expect(await findRoot(root)).to.deep.equal({ root, isRepository: true });
    });

    it("counts a .git file, as worktrees and submodules have it", async () => {
        const outer = makeRepository({ "inner/src/file": "" });
        writeTree(outer, { "inner/.git": "gitdir: ../.git/modules/inner\n" });
        const found = await findRoot(path.join(outer, "inner/src"));
        expect(found.root).to.equal(path.join(outer, "inner"));
    });

    it("takes the folder itself where there is no repository", async () => {
        const root = makeFolder({ "a/file": "" });
        const start = path.join(root, "a");
        expect(await findRoot(start)).to.deep.equal({ root: start, isRepository: false });
    });

    it("answers with the real path", async () => {
        const root = makeRepository();
        const link = path.join(makeFolder(), "link");
        symlinkSync(root, link);
        expect((await findRoot(link)).root).to.equal(root);
    });

    it("refuses what is not there and what is no folder", async () => {
        const root = makeFolder({ file: "" });
        expect(await refusal(() => findRoot(path.join(root, "no")))).to.equal("not-found");
        expect(await refusal(() => findRoot(path.join(root, "file")))).to.equal("not-a-folder");
    });
});
