import * as fs from "node:fs";
import path from "node:path";

import { expect } from "chai";

import type { FileChange } from "../../../src/plugin/index.js";
import { createChangeApplier } from "../../../src/workspace/apply/apply-change-set.js";
import { asOrdinaryUser } from "../../storage/ordinary-user.js";
import { refusal } from "../make-folder.js";
import { removeFolder } from "../../helpers/remove-folder.js";
import { change, hashOf, journalIn, temporaryFolder } from "./apply-fixture.js";

describe("applying links and folders", () => {
    let top: string;
    let root: string;

    beforeEach(() => {
        top = temporaryFolder();
        root = path.join(top, "repository");
        fs.mkdirSync(root);
    });
    afterEach(() => removeFolder(top));

    const at = (file: string) => path.join(root, file);
    const apply = (...changes: FileChange[]) =>
        createChangeApplier({ root, journal: journalIn(path.join(top, "journal")) }).apply({
            changes,
        });
    const link = (file: string, before: string | null, after: string | null): FileChange => ({
        ...change(file, before, after),
        type: "link",
    });
    const folder = (file: string, before: boolean, after: boolean, mode?: number): FileChange => ({
        ...change(file, before ? "" : null, after ? "" : null),
        type: "folder",
        ...(mode === undefined ? {} : { mode }),
    });

    it("A link is made, led elsewhere and deleted, and what it leads to stays", async () => {
        fs.writeFileSync(at("target"), "t");
        expect((await apply(link("l", null, "target"))).kind).to.equal("applied");
        expect(fs.readlinkSync(at("l"))).to.equal("target");
        expect((await apply(link("l", "target", "../nowhere"))).kind).to.equal("applied");
        expect(fs.readlinkSync(at("l"))).to.equal("../nowhere");
        expect((await apply(link("l", "../nowhere", null))).kind).to.equal("applied");
        expect(fs.readdirSync(root)).to.deep.equal(["target"]);
    });

    it("A link that leads elsewhere than reviewed is not touched", async () => {
        fs.symlinkSync("other", at("l"));
        expect(await apply(link("l", "target", null))).to.deep.equal({
            kind: "stale",
            paths: ["l"],
        });
        expect(fs.readlinkSync(at("l"))).to.equal("other");
    });

    it("A file in place of a reviewed link is refused", async () => {
        fs.writeFileSync(at("l"), "target");
        expect(await refusal(() => apply(link("l", "target", null)))).to.equal("not-a-file");
    });

    it("An empty folder is made with its mode, and one is deleted with all that was in it", async () => {
        fs.mkdirSync(at("old/deep"), { recursive: true });
        fs.writeFileSync(at("old/deep/f"), "f");
        const result = await apply(
            folder("new", false, true, 0o700),
            folder("old", true, false),
            folder("old/deep", true, false),
            change("old/deep/f", "f", null)
        );
        expect(result.kind).to.equal("applied");
        expect(fs.readdirSync(root)).to.deep.equal(["new"]);
        expect(fs.statSync(at("new")).mode & 0o777).to.equal(0o700);
    });

    it("A folder to be deleted stays where somebody put something into it", async () => {
        fs.mkdirSync(at("old"));
        fs.writeFileSync(at("old/theirs"), "t");
        expect((await apply(folder("old", true, false))).kind).to.equal("applied");
        expect(fs.readdirSync(at("old"))).to.deep.equal(["theirs"]);
    });

    it("A new read-only folder gets its files before its mode", async () => {
        for (const place of [top, root]) fs.chmodSync(place, 0o777);
        const result = await asOrdinaryUser(() =>
            apply(folder("ro", false, true, 0o555), change("ro/f", null, "f"))
        );
        expect(result.kind).to.equal("applied");
        expect(fs.statSync(at("ro")).mode & 0o777).to.equal(0o555);
        expect(fs.readFileSync(at("ro/f"), "utf8")).to.equal("f");
    });

    it("Nothing of links and folders remains when one file of the set is stale", async () => {
        fs.writeFileSync(at("f"), "changed");
        const result = await apply(
            folder("new", false, true),
            link("l", null, "target"),
            change("f", "reviewed", "after")
        );
        expect(result).to.deep.equal({ kind: "stale", paths: ["f"] });
        expect(fs.readdirSync(root)).to.deep.equal(["f"]);
    });

    it("A link is described by its type and the hash of its target", async () => {
        const result = await apply(link("l", null, "target"));
        expect(result.kind === "applied" && result.files[0]).to.deep.include({
            path: "l",
            type: "link",
            afterHash: hashOf("target"),
        });
    });
});
