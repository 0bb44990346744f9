import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
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

    it("A file or a dangling link in the place of a folder of North's data is reported", async () => {
        const data = foldersIn(folder).data;
        mkdirSync(data, { recursive: true });
        const conversations = path.join(data, "conversations");
        for (const put of [
            () => writeFileSync(conversations, ""),
            () => symlinkSync("x", conversations),
        ]) {
            put();
            const [, check] = await checkFolders(foldersIn(folder));
            expect(check).to.include({ status: "broken" });
            expect(check?.found).to.contain(`${conversations} is not writable (`);
            rmSync(conversations);
        }
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
