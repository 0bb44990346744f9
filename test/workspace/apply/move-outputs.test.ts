import { chmodSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { moveOutputs } from "../../../src/workspace/apply/move-outputs.js";
import { writeTree } from "../make-folder.js";
import { removeFolder } from "../../helpers/remove-folder.js";
import { temporaryFolder, withoutPrivileges } from "./apply-fixture.js";

describe("moveOutputs", () => {
    it("What is new in a folder that a command made read-only is moved, and so is the mode", async () => {
        const top = temporaryFolder();
        chmodSync(top, 0o777);
        const at = (name: string) => path.join(top, name);
        const kept = await withoutPrivileges(async () => {
            writeTree(top, { "root/out/old": "old", "layer/out/new": "new" });
            chmodSync(at("layer/out"), 0o555);
            return moveOutputs(at("root"), at("layer"), [
                {
                    path: "out",
                    before: { kind: "folder", version: "" },
                    after: { kind: "folder", mode: 0o555 },
                },
                { path: "out/new", after: { kind: "file", mode: 0o644 } },
            ]);
        });
        expect(kept).to.deep.equal([]);
        expect(readFileSync(at("root/out/new"), "utf8")).to.equal("new");
        expect(statSync(at("root/out")).mode & 0o777).to.equal(0o555);
        removeFolder(top);
    });

    it("A command may have opened a read-only folder, changed what is in it and closed it again", async () => {
        const top = temporaryFolder();
        chmodSync(top, 0o777);
        const at = (name: string) => path.join(top, name);
        const kept = await withoutPrivileges(async () => {
            writeTree(top, { "root/logs/old.log": "old", "layer/logs/new.log": "new" });
            const { ino, mtimeMs, size } = statSync(at("root/logs/old.log"));
            chmodSync(at("root/logs"), 0o555);
            return moveOutputs(at("root"), at("layer"), [
                { path: "logs/new.log", after: { kind: "file", mode: 0o644 } },
                {
                    path: "logs/old.log",
                    before: { kind: "file", version: `${ino} ${mtimeMs} ${size}` },
                },
            ]);
        });
        expect(kept).to.deep.equal([]);
        expect(readdirSync(at("root/logs"))).to.deep.equal(["new.log"]);
        expect(statSync(at("root/logs")).mode & 0o777).to.equal(0o555);
        removeFolder(top);
    });
});
