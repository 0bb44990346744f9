import {
    chownSync,
    mkdirSync,
    mkdtempSync,
    realpathSync,
    rmSync,
    symlinkSync,
    writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";

import {
    untrustedRootReason,
    isWorthLearning,
    placeNotices,
} from "../../../src/host/project/project-notices.js";

describe("Start folder notice", () => {
    let home: string;
    let root: string;

    beforeEach(() => {
        home = realpathSync(mkdtempSync(path.join(tmpdir(), "north-place-")));
        root = path.join(home, "project");
        mkdirSync(root);
    });
    afterEach(() => rmSync(home, { recursive: true }));

    it("A folder outside a repository is announced as the project", async () => {
        const [notice = "", ...others] = await placeNotices({ root, isRepository: false }, home);
        expect(notice).to.contain("Not a git repository");
        expect(others).to.deep.equal([]);
        expect(await placeNotices({ root, isRepository: true }, home)).to.deep.equal([]);
    });

    it("The home folder is named, also when reached by another path", async () => {
        const way = path.join(root, "home");
        symlinkSync(home, way);
        for (const told of [home, way]) {
            for (const isRepository of [false, true]) {
                const [notice = ""] = await placeNotices({ root: home, isRepository }, told);
                expect(notice).to.contain("your home folder").and.to.contain("before every edit");
            }
        }
    });

    it("The root of the file system and a folder of somebody else are named", async () => {
        expect(await untrustedRootReason("/", home)).to.contain("root of the file system");
        expect(await untrustedRootReason(root, home)).to.equal(undefined);
        const [user, other] = [process.geteuid?.() ?? 0, 65534];
        if (user !== 0) return;
        mkdirSync(path.join(root, ".git"));
        chownSync(path.join(root, ".git"), other, other);
        expect(await untrustedRootReason(root, home)).to.contain("belongs to another user");
        chownSync(path.join(root, ".git"), user, user);
        expect(await untrustedRootReason(root, home)).to.equal(undefined);
        chownSync(root, other, other);
        const [notice = ""] = await placeNotices({ root, isRepository: true }, home);
        expect(notice).to.contain("belongs to another user").and.to.contain("before every edit");
    });

    it("A folder is worth learning when it has files and is not too broad", async () => {
        const place = { root, isRepository: true };
        mkdirSync(path.join(root, ".git"));
        expect(await isWorthLearning(place, home)).to.equal(false);
        writeFileSync(path.join(root, "a.ts"), "");
        expect(await isWorthLearning(place, home)).to.equal(true);
        expect(await isWorthLearning(place, root)).to.equal(false);
        expect(await isWorthLearning(place, undefined)).to.equal(true);
        expect(await isWorthLearning({ ...place, root: "/" }, home)).to.equal(false);
    });
});
