import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";

import { isWorthLearning, placeNotices } from "../../../src/host/project/place-notice.js";

describe("a folder that North is started in", () => {
    let home: string;
    let root: string;

    beforeEach(() => {
        home = realpathSync(mkdtempSync(path.join(tmpdir(), "north-place-")));
        root = path.join(home, "project");
        mkdirSync(root);
    });
    afterEach(() => rmSync(home, { recursive: true }));

    it("is said to be the project where it is no repository", async () => {
        const [notice = "", ...others] = await placeNotices({ root, isRepository: false }, home);
        expect(notice).to.contain("Not a git repository");
        expect(others).to.deep.equal([]);
        expect(await placeNotices({ root, isRepository: true }, home)).to.deep.equal([]);
    });

    it("is named where it is the home folder, also by another way there", async () => {
        const way = path.join(root, "home");
        symlinkSync(home, way);
        for (const told of [home, way]) {
            const [notice = ""] = await placeNotices({ root: home, isRepository: false }, told);
            expect(notice).to.contain("your home folder").and.to.contain("--path");
        }
    });

    it("is worth learning where there is something in it that is not everything", async () => {
        const place = { root, isRepository: true };
        mkdirSync(path.join(root, ".git"));
        expect(await isWorthLearning(place, home)).to.equal(false);
        writeFileSync(path.join(root, "a.ts"), "");
        expect(await isWorthLearning(place, home)).to.equal(true);
        expect(await isWorthLearning(place, root)).to.equal(false);
        expect(await isWorthLearning(place, undefined)).to.equal(true);
    });
});
