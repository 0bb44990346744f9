import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";

import { checkFolders } from "../../../src/host/doctor/checks.js";
import { withReadOnlyFolder } from "../../storage/ordinary-user.js";

describe("checkFolders", () => {
    let folder: string;

    beforeEach(() => {
        folder = mkdtempSync(path.join(tmpdir(), "north-doctor-"));
    });
    afterEach(() => rmSync(folder, { recursive: true }));

    const foldersIn = (place: string) => ({
        config: path.join(place, "config"),
        data: path.join(place, "data", "north"),
        state: place,
    });

    it("Existing folders and those that can be created pass, and nothing is left behind", async () => {
        const checks = await checkFolders(foldersIn(folder));
        expect(checks.map(({ status }) => status)).to.deep.equal(["ok", "ok", "ok"]);
        expect(checks[1]?.found).to.equal(`${folder}/data/north (not created yet)`);
        expect(readdirSync(folder)).to.deep.equal([]);
    });

    it("A folder that cannot be written is reported with an alternative", async () => {
        const closed = path.join(folder, "closed");
        mkdirSync(closed);
        const checks = await withReadOnlyFolder(closed, () => checkFolders(foldersIn(closed)));
        expect(checks.map(({ status }) => status)).to.deep.equal(["broken", "broken", "broken"]);
        expect(checks[1]?.found).to.match(
            /is not writable \((permission denied|operation not permitted)\)/
        );
        expect(checks[1]?.next).to.contain("NORTH_DATA_DIR");
    });
});
