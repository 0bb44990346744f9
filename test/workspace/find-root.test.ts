import { expect } from "chai";
import { symlinkSync } from "node:fs";
import path from "node:path";
import { findRoot } from "../../src/workspace/find-root.js";
import { makeFolder, makeRepository, refusal, writeTree } from "./make-folder.js";

describe("findRoot", () => {
    it("The root is the nearest folder above with a .git folder", async () => {
        const root = makeRepository({ "a/b/file": "" });
        expect(await findRoot(path.join(root, "a/b"))).to.deep.equal({ root, isRepository: true });
        expect(await findRoot(root)).to.deep.equal({ root, isRepository: true });
    });

    it("A .git file marks a root, as in worktrees and submodules", async () => {
        const outer = makeRepository({ "inner/src/file": "" });
        writeTree(outer, { "inner/.git": "gitdir: ../.git/modules/inner\n" });
        const found = await findRoot(path.join(outer, "inner/src"));
        expect(found.root).to.equal(path.join(outer, "inner"));
    });

    it("Without a repository the folder itself is the root", async () => {
        const root = makeFolder({ "a/file": "" });
        const start = path.join(root, "a");
        expect(await findRoot(start)).to.deep.equal({ root: start, isRepository: false });
    });

    it("The root is a real path", async () => {
        const root = makeRepository();
        const link = path.join(makeFolder(), "link");
        symlinkSync(root, link);
        expect((await findRoot(link)).root).to.equal(root);
    });

    it("A missing path and a file are refused", async () => {
        const root = makeFolder({ file: "" });
        expect(await refusal(() => findRoot(path.join(root, "no")))).to.equal("not-found");
        expect(await refusal(() => findRoot(path.join(root, "file")))).to.equal("not-a-folder");
    });
});
