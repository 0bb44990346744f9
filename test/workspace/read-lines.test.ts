import { createHash } from "node:crypto";
import { truncateSync, utimesSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { openWorkspace } from "../../src/workspace/open-workspace.js";
import { handleCallsOf } from "../helpers/file-system-calls.js";
import { makeFolder, refusal } from "./make-folder.js";

const LONG_AGO = new Date("2024-01-01");

/** Lines that end in the middle of what is read at once, and some that are longer than it. */
function unevenLines(): string[] {
    return Array.from({ length: 5_000 }, (_, index) =>
        index % 1_000 === 7 ? "long ".repeat(60_000) : `${index} ${"ä".repeat(index % 97)}`
    );
}

describe("Ranges of lines", () => {
    it("Any range of a file with lines of all lengths is what lies between its line breaks", async () => {
        const lines = unevenLines();
        const text = `${lines.join("\n")}\n`;
        const workspace = openWorkspace({ root: makeFolder({ "a.txt": text }) });
        const ranges = [
            [1, 1],
            [1, 3],
            [7, 9],
            [1_020, 1_030],
            [1_024, 1_024],
            [1_025, 1_025],
            [2_048, 2_050],
            [4_990, 9_999],
            [5_000, 5_000],
            [5_001, 5_002],
        ] as const;
        for (const [start, end] of ranges) {
            const part = await workspace.readLines("a.txt", { start, end });
            const expected = lines.slice(start - 1, end).map((line) => `${line}\n`);
            expect(
                Buffer.from(part.bytes).toString() === expected.join(""),
                `${start}-${end}`
            ).to.equal(true);
            expect(part.totalLines).to.equal(5_000);
            expect(part.hash).to.equal(createHash("sha256").update(text).digest("hex"));
        }
    });

    it("A last line without a line break counts, and an empty file has no lines", async () => {
        const workspace = openWorkspace({ root: makeFolder({ "a.txt": "a\nb", "b.txt": "" }) });
        const last = await workspace.readLines("a.txt", { start: 2, end: 5 });
        expect([last.totalLines, Buffer.from(last.bytes).toString()]).to.deep.equal([2, "b"]);
        const none = await workspace.readLines("b.txt", { start: 1, end: 5 });
        expect([none.totalLines, none.bytes.length]).to.deep.equal([0, 0]);
    });

    it("Many ranges of one file read the whole of it once", async () => {
        const root = makeFolder({ "a.txt": unevenLines().join("\n") });
        const workspace = openWorkspace({ root });
        utimesSync(path.join(root, "a.txt"), LONG_AGO, LONG_AGO);
        const read = (start: number) => workspace.readLines("a.txt", { start, end: start + 5 });
        const first = await handleCallsOf("read", () => read(1));
        const others = await handleCallsOf("read", async () => {
            for (let start = 100; start < 120; start += 1) await read(start);
        });
        expect(first).to.be.greaterThan(5);
        expect(others).to.be.at.most(40);
    });

    it("A changed file is read again", async () => {
        const root = makeFolder({ "a.txt": "a\nb\nc\n" });
        const file = path.join(root, "a.txt");
        utimesSync(file, LONG_AGO, LONG_AGO);
        const workspace = openWorkspace({ root });
        const count = async () =>
            (await workspace.readLines("a.txt", { start: 1, end: 1 })).totalLines;
        expect(await count()).to.equal(3);
        truncateSync(file, 2);
        expect(await count()).to.equal(1);
    });

    it("What has no lines, is ignored or leads outside is refused", async () => {
        const tree = { "a.bin": "a\0b", "a.log": "x\n", ".gitignore": "*.log\n" };
        const workspace = openWorkspace({ root: makeFolder(tree) });
        const codeOf = (file: string) =>
            refusal(() => workspace.readLines(file, { start: 1, end: 1 }));
        expect(await codeOf("a.bin")).to.equal("binary-file");
        expect(await codeOf("a.log")).to.equal("ignored");
        expect(await codeOf("../a")).to.equal("outside-repository");
    });
});
