import { expect } from "chai";
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import path from "node:path";
import { isExpectedError } from "../../../src/base/north-error.js";
import { applyJournal } from "../../../src/host/project/apply-journal.js";
import { changeSetOf } from "../../../src/core/draft/view.js";
import { createChangeApplier } from "../../../src/workspace/apply/apply-change-set.js";
import { copyOf } from "../../helpers/drafting.js";
import { changesBetween, snapshot, take } from "../../helpers/random-changes.js";
import { makeFolder, writeTree } from "../make-folder.js";

const PAGE = 4096;
const START = { "a.txt": "a".repeat(PAGE), "b.txt": "b", c: "becomes a folder", "d/e.txt": "e" };
const write = (file: string, pages: number) =>
    ({ kind: "write", path: file, content: Buffer.alloc(pages * PAGE, 65), mode: 0o644 }) as const;

describe("A disk that is full", () => {
    let disk: string;

    beforeEach(function () {
        disk = makeFolder();
        try {
            const options = ["-t", "tmpfs", "-o", "size=512k", "tmpfs", disk];
            execFileSync("mount", options, { stdio: "ignore" });
        } catch {
            this.skip();
        }
    });
    afterEach(() => {
        if (fs.readdirSync(disk).length > 0) execFileSync("umount", [disk]);
    });

    it("A disk that fills up at any step of an apply leaves all or nothing written, and the next apply succeeds", async () => {
        const root = path.join(disk, "project");
        const ballast = path.join(disk, "ballast");
        fs.mkdirSync(root);
        writeTree(root, START);
        const after = copyOf(root);
        take(after, [
            write("a.txt", 3),
            { kind: "remove", path: "b.txt" },
            { kind: "remove", path: "c" },
            write("c/deep/new.txt", 2),
            { kind: "link", path: "link", target: "a.txt" },
            { kind: "remove", path: "d" },
            write("d", 2),
            write("new/f.txt", 1),
        ]);
        const [before, wanted] = [snapshot(root), snapshot(after)];
        const { changes, contents } = changesBetween(root, after);
        const changeSet = await changeSetOf(changes, contents);
        const journal = applyJournal(path.join(disk, "data"));
        const applier = createChangeApplier({ root, journal });
        const ends = new Set<string>();
        for (let free = 0; !ends.has("applied") && free < 60; free += 1) {
            fill(ballast, free);
            const end = await applier.apply(changeSet).then(
                ({ kind }) => kind,
                (error: unknown) => (isExpectedError(error) ? error.code : String(error))
            );
            ends.add(end);
            expect(snapshot(root), `${free} pages free: ${end}`).to.deep.equal(
                end === "applied" ? wanted : before
            );
            fs.rmSync(ballast);
        }
        expect([...ends]).to.deep.equal(["disk-full", "applied"]);
    });
});

/** Leaves this many pages of the disk. */
function fill(ballast: string, pages: number): void {
    const { bavail, bsize } = fs.statfsSync(path.dirname(ballast));
    const bytes = bavail * bsize - pages * PAGE;
    if (bytes > 0) fs.writeFileSync(ballast, Buffer.alloc(bytes));
    else fs.writeFileSync(ballast, "");
}
