import { expect } from "chai";
import { execFileSync } from "node:child_process";
import {
    appendFileSync,
    mkdirSync,
    readFileSync,
    rmSync,
    truncateSync,
    writeFileSync,
} from "node:fs";
import path from "node:path";
import { createChangeHistory } from "../../../src/storage/grants/change-history.js";
import { projectFolder } from "../../../src/storage/files/directories.js";
import { runChildren, startChild } from "../children.js";
import { expectError } from "../expect-error.js";
import { temporaryFolder } from "../temporary-folder.js";

describe("History of the model's changes", () => {
    const folder = temporaryFolder();
    const place = () => ({
        root: path.join(folder(), "root"),
        dataFolder: path.join(folder(), "data"),
    });
    const open = () => createChangeHistory(place());
    const file = () => {
        const { root, dataFolder } = place();
        return path.join(projectFolder(dataFolder, root), "changes.jsonl");
    };
    beforeEach(() => mkdirSync(place().root));

    it("Different files are counted since any point, also by a process that starts later", async () => {
        const history = open();
        const marks = [await history.mark()];
        for (const paths of [["a"], ["a", "b"], ["b"], ["é\n", "c"]]) {
            const { before, after } = await history.add(paths);
            expect(before).to.equal(marks.at(-1));
            expect(after).to.equal(await open().mark());
            marks.push(after);
        }
        const counts = await Promise.all(marks.map((mark) => open().filesSince(mark)));
        expect(counts).to.deep.equal([4, 4, 3, 2, 0]);
    });

    it("A change to unknown files, and an unknown point in time, count as unknown", async () => {
        const history = open();
        const start = await history.mark();
        expect(await history.filesSince(undefined)).to.equal(Infinity);
        await history.add(undefined);
        expect(await history.filesSince(start)).to.equal(Infinity);
        expect(await history.filesSince(await history.mark())).to.equal(0);
        expect(await history.filesSince("someone else's 3")).to.equal(Infinity);
    });

    it("A change of very many files names some and counts all", async () => {
        const history = open();
        const start = await history.mark();
        await history.add(Array.from({ length: 20_000 }, (_, index) => `file ${index}`));
        expect(await history.filesSince(start)).to.equal(20_000);
        expect(readFileSync(file()).length).to.be.below(20_000);
    });

    it("A lost, truncated or full history ends the permissions before it", async () => {
        const history = open();
        await history.add(["a"]);
        const mark = await history.mark();
        appendFileSync(file(), '["torn');
        expect(await history.filesSince(mark)).to.equal(Infinity);
        await history.add(["b"]);
        expect(await history.filesSince(await history.mark())).to.equal(0);
        truncateSync(file(), 20);
        expect(await history.filesSince(mark)).to.equal(Infinity);
        rmSync(file());
        expect(await history.filesSince(mark)).to.equal(Infinity);

        await history.add(["a"]);
        const full = await history.mark();
        appendFileSync(file(), `${JSON.stringify(["x".repeat(2_000_000)])}\n`);
        await history.add(["b"]);
        expect(await history.filesSince(full)).to.equal(Infinity);
        expect(readFileSync(file()).length).to.be.below(1_000);
    });

    it("Another repository at the same path has a history of its own", async () => {
        const { root } = place();
        execFileSync("git", ["init", "-q", root]);
        await open().add(["a"]);
        const mark = await open().mark();
        rmSync(root, { recursive: true });
        execFileSync("git", ["init", "-q", root]);
        expect(await open().filesSince(mark)).to.equal(Infinity);
        expect(await open().mark()).to.equal("start");
    });

    it("A change that cannot be recorded is refused", async () => {
        mkdirSync(path.dirname(place().dataFolder), { recursive: true });
        writeFileSync(place().dataFolder, "a file");
        await expectError(() => open().add(["a"]), "not-writable");
        expect(await open().filesSince(undefined)).to.equal(Infinity);
    });

    it("Eight processes at once lose no change of each other's", async () => {
        const start = await open().mark();
        const names = Array.from({ length: 8 }, (_, index) => `process ${index}`);
        const task = { do: "note-changes", times: 20 } as const;
        await runChildren(names.map((name) => ({ ...task, ...place(), name })));
        expect(await open().filesSince(start)).to.equal(160);
    });

    it("A kill at any moment leaves a history that counts what was noted before", async () => {
        for (let round = 0; round < 5; round += 1) {
            const before = await open().mark();
            const child = startChild({
                do: "note-changes",
                times: 1_000,
                name: `round ${round}`,
                ...place(),
            });
            await child.said(3 * round + 1);
            await child.kill();
            expect(await open().filesSince(before)).to.be.at.least(child.lines.length);
        }
    });
});
