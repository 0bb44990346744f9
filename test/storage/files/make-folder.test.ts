import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { makeFolder } from "../../../src/storage/files/make-folder.js";
import { expectError } from "../expect-error.js";
import { temporaryFolder } from "../temporary-folder.js";

describe("makeFolder", () => {
    const folder = temporaryFolder();

    it("Each folder that got a new entry is named, and an existing folder gets none", () => {
        const deep = path.join(folder(), "a", "b");
        expect(makeFolder(deep)).to.deep.equal([folder(), path.join(folder(), "a")]);
        expect(makeFolder(deep)).to.deep.equal([]);
    });

    it("A file or a link that leads nowhere, in its place or above it, is named with a next step", async () => {
        writeFileSync(path.join(folder(), "file"), "");
        symlinkSync("nowhere", path.join(folder(), "link"));
        for (const name of ["file", "link"]) {
            const inTheWay = path.join(folder(), name);
            for (const wanted of [inTheWay, path.join(inTheWay, "a", "b")]) {
                const error = await expectError(() => makeFolder(wanted), "not-writable");
                expect(error.message).to.equal(`${inTheWay} must be a folder.`);
                expect(error.nextSteps).to.have.length(1);
            }
        }
        mkdirSync(path.join(folder(), "nowhere"));
        expect(makeFolder(path.join(folder(), "link", "c"))).to.have.length(1);
        expect(existsSync(path.join(folder(), "nowhere", "c"))).to.equal(true);
    });
});
