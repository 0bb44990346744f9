import { symlinkSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { entriesBelow } from "../../src/base/entries-below.js";
import { makeFolder } from "../workspace/make-folder.js";

describe("entriesBelow", () => {
    it("A folder's links to itself are listed and not followed, whatever Node's own listing does", async () => {
        const folder = makeFolder({ "a.md": "", "in/b.md": "", "in/deep/c.md": "" });
        for (const name of ["one", "two", "in/three"]) symlinkSync("..", path.join(folder, name));
        const found = await entriesBelow(folder);
        expect(found.map((each) => each.path).sort()).to.deep.equal(
            ["a.md", "in", "in/b.md", "in/deep", "in/deep/c.md", "in/three", "one", "two"].sort()
        );
        const folders = found.filter(({ entry }) => entry.isDirectory());
        expect(folders.map((each) => each.path)).to.have.members(["in", "in/deep"]);
    });
});
