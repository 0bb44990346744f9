import * as fs from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { gitTree } from "../../src/workspace/git-tree.js";
import { git, makeRepository, writeTree } from "./make-folder.js";

describe("The git tree of a project's files", () => {
    let root: string;
    beforeEach(() => {
        root = makeRepository({ "a.txt": "a\n", "b/c.txt": "c\n", ".gitignore": "out\n" });
        git(root, "add", "-A");
        git(root, "commit", "-qm", "First");
    });

    const committed = () => git(root, "rev-parse", "HEAD^{tree}").trim();
    const objects = () => git(root, "count-objects");

    it("The tree is that of a commit of everything that git does not ignore, without making one", async () => {
        expect(await gitTree(root)).to.equal(committed());
        writeTree(root, { "new/d.txt": "d\n", out: "ignored\n", "a.txt": "other\n" });
        fs.chmodSync(path.join(root, "b/c.txt"), 0o755);
        const [index, stored] = [fs.readFileSync(path.join(root, ".git/index")), objects()];
        const tree = await gitTree(root);
        expect(fs.readFileSync(path.join(root, ".git/index")).equals(index)).to.equal(true);
        expect(objects()).to.equal(stored);
        expect(tree).not.to.equal(committed());
        git(root, "add", "-A");
        git(root, "commit", "-qm", "Second");
        expect(tree).to.equal(committed());
    });

    it("A change of the same size within the same second is noticed", async () => {
        for (const text of ["b\n", "c\n", "d\n", "e\n"]) {
            const before = await gitTree(root);
            fs.writeFileSync(path.join(root, "a.txt"), text);
            expect(await gitTree(root)).not.to.equal(before);
            git(root, "add", "-A");
        }
    });

    it("There is no tree where the index hides changes, or filters decide what git stores", async () => {
        git(root, "update-index", "--assume-unchanged", "a.txt");
        expect(await gitTree(root)).to.equal(undefined);
        git(root, "update-index", "--no-assume-unchanged", "a.txt");
        git(root, "update-index", "--skip-worktree", "a.txt");
        expect(await gitTree(root)).to.equal(undefined);
        git(root, "update-index", "--no-skip-worktree", "a.txt");
        expect(await gitTree(root)).to.equal(committed());
        git(root, "config", "filter.x.clean", "touch pwned; cat");
        expect(await gitTree(root)).to.equal(undefined);
        expect(fs.existsSync(path.join(root, "pwned"))).to.equal(false);
    });
});
