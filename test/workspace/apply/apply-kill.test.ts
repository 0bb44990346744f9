import { once } from "node:events";
import * as fs from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { createChangeApplier } from "../../../src/workspace/apply/apply-change-set.js";
import { recoverInterruptedApply } from "../../../src/workspace/apply/journal.js";
import { patient } from "../../helpers/patience.js";
import { sampledRuns, sampledSteps } from "../../helpers/sample.js";
import { removeFolder } from "../../helpers/remove-folder.js";
import { change, changeSet, journalIn, snapshot, temporaryFolder } from "./apply-fixture.js";
import { bundleChild, ended, firstStep, killNear, start } from "./apply-program.js";

const BEFORE = {
    a: "old a",
    d: "old d",
    flat: "old g",
    folder: "<folder>",
    "folder/f": "old f",
    link: "<other>",
    real: "<folder>",
    "real/e": "old e",
    sub: "<folder>",
    "sub/b": "old b",
};
const { d: _deleted, "folder/f": _moved, ...kept } = BEFORE;
const AFTER = {
    ...kept,
    flat: "<folder>",
    "flat/deep": "<folder>",
    "flat/deep/g": "new g",
    folder: "<other>",
    a: "new a",
    made: "<folder>",
    "made/deep": "<folder>",
    "made/deep/c": "new c",
    "real/e": "new e",
    "sub/b": "new b",
};

describe("Kill during an apply", function () {
    this.timeout(patient(120_000));
    let top: string;
    let root: string;
    let journal: string;
    let program: string;

    before(() => {
        top = temporaryFolder();
        program = bundleChild();
    });
    after(() => removeFolder(top));
    beforeEach(() => {
        root = path.join(top, "repository");
        journal = path.join(top, "journal");
        fs.mkdirSync(path.join(root, "sub"), { recursive: true });
    });
    afterEach(() => {
        removeFolder(root);
        removeFolder(journal);
    });

    function lay(): void {
        removeFolder(root);
        fs.mkdirSync(path.join(root, "sub"), { recursive: true });
        for (const folder of ["real", "folder"]) fs.mkdirSync(path.join(root, folder));
        fs.symlinkSync("real/e", path.join(root, "link"));
        for (const [file, text] of [
            ["a", "old a"],
            ["sub/b", "old b"],
            ["d", "old d"],
            ["real/e", "old e"],
            ["folder/f", "old f"],
            ["flat", "old g"],
        ] as const) {
            fs.writeFileSync(path.join(root, file), text);
        }
    }

    const namesIn = (folder: string): string[] =>
        fs.existsSync(folder) ? fs.readdirSync(folder) : [];

    function expectNoHalfFile(): void {
        const found = snapshot(root);
        for (const file of ["a", "sub/b", "d", "real/e", "made/deep/c"]) {
            const allowed = [
                (BEFORE as Record<string, string>)[file],
                (AFTER as Record<string, string>)[file],
            ];
            expect(allowed, file).to.include(found[file]);
        }
    }

    /** See `killHalfWay`; found once. */
    let halfWay = 0;

    async function killAt(step: number, task = "applyOnce"): Promise<number | string> {
        removeFolder(journal);
        lay();
        return ended(start(program, task, root, journal, String(step)));
    }

    /** Leaves some files replaced and others not. */
    async function killHalfWay(): Promise<void> {
        const hasNewB = () => fs.readFileSync(path.join(root, "sub/b"), "utf8") === "new b";
        halfWay ||= await firstStep(async (step) => {
            await killAt(step);
            return hasNewB();
        });
        await killNear(halfWay, killAt, () => hasNewB() && fs.existsSync(path.join(root, "d")));
    }

    for (const [task, where] of [
        ["applyOnce", ""],
        ["applyWithoutLinks", ", also without hard links"],
        ["applyInImage", ", also where folders cannot be renamed"],
    ] as const) {
        it(`A kill at any step leaves whole files, and all or nothing after recovery${where}`, async () => {
            const results = new Set<string>();
            for (const step of sampledSteps()) {
                const end = await killAt(step, task);
                if (end === 0) break;
                expect(end).to.equal("SIGKILL");
                // Without hard links a name is reserved with an empty file.
                if (task === "applyOnce") expectNoHalfFile();
                const report = await recoverInterruptedApply(journalIn(journal));
                expect(report.conflicts).to.deep.equal([]);
                const isApplied = fs.readFileSync(path.join(root, "a"), "utf8") === "new a";
                expect(snapshot(root), `killed before step ${step}`).to.deep.equal(
                    isApplied ? AFTER : BEFORE
                );
                expect(namesIn(journal)).to.deep.equal([]);
                results.add(isApplied ? "applied" : "taken back");
            }
            expect(snapshot(root)).to.deep.equal(AFTER);
            expect([...results]).to.deep.equal(["taken back", "applied"]);
        });
    }

    it("The next apply also reverts a killed one and says so", async () => {
        await killHalfWay();
        const reports: number[] = [];
        const applier = createChangeApplier({
            root,
            journal: journalIn(journal),
            onRecovery: ({ settled }) => reports.push(settled),
        });
        await applier.apply(changeSet(change("other", null, "1")));
        expect(snapshot(root)).to.deep.equal({ ...BEFORE, other: "1" });
        expect(reports).to.deep.equal([1]);
    });

    it("Recovery leaves alone what somebody changed before it", async () => {
        await killHalfWay();
        fs.writeFileSync(path.join(root, "a"), "somebody's");
        const report = await recoverInterruptedApply(journalIn(journal));
        expect(report).to.deep.equal({ settled: 1, conflicts: ["a"] });
        expect(snapshot(root)).to.deep.equal({ ...BEFORE, a: "somebody's" });
    });

    it("Recovery names what it could not undo because the project was moved away", async () => {
        await killHalfWay();
        const moved = path.join(top, "moved");
        fs.renameSync(root, moved);
        const { conflicts } = await recoverInterruptedApply(journalIn(journal));
        expect(conflicts).to.include.members(["a", "d", "sub/b"]);
        expect(namesIn(journal)).to.deep.equal([]);
        removeFolder(moved);
    });

    it("A kill at any moment of many applies leaves one version of all files", async () => {
        const files = ["x", "y", "sub/z"];
        for (let round = 0; round < sampledRuns(8); round++) {
            removeFolder(journal);
            for (const file of files) fs.writeFileSync(path.join(root, file), "0".repeat(20_000));

            const child = start(program, "applyForever", root, journal);
            const end = ended(child);
            await once(child.stdout ?? child, "data");
            await new Promise((resolve) => setTimeout(resolve, Math.random() * 60));
            child.kill("SIGKILL");
            await end;
            await recoverInterruptedApply(journalIn(journal));
            const found = snapshot(root);
            expect(Object.keys(found).sort()).to.deep.equal(["sub", "sub/z", "x", "y"]);
            expect(new Set(files.map((file) => found[file]))).to.have.lengthOf(1);
            expect(namesIn(journal)).to.deep.equal([]);
        }
    });

    it("Without a journal a kill leaves the file whole, and the next apply there sweeps up", async () => {
        fs.writeFileSync(path.join(root, "a"), "old");
        const child = start(program, "leaveStaged", root);
        expect(await ended(child)).to.equal("SIGKILL");
        const [stray, ...others] = namesIn(root).filter((name) => name.startsWith(".north-"));
        expect(others).to.deep.equal([]);
        expect(stray).to.match(new RegExp(`^\\.north-[0-9a-f]{8}-${child.pid}-.*\\.staged$`));
        // Of a process that lives, as an older North named it; and of one that had its id before.
        const alive = String(stray).replace(/-\d+-\d+-/u, `-${process.ppid}-`);
        const reused = String(stray).replace(`-${child.pid}-`, `-${process.ppid}-`);
        for (const name of [alive, reused]) fs.writeFileSync(path.join(root, name), "");
        const outcome = await createChangeApplier({ root }).apply(
            changeSet(change("a", "old", "new"))
        );
        expect(outcome.kind).to.equal("applied");
        expect(namesIn(root)).to.deep.equal([alive, "a", "sub"]);
    });

    it("A torn or foreign journal removes nothing but itself", async () => {
        lay();
        fs.mkdirSync(journal);
        const owner = /-([0-9a-f]{8})-/u.exec(await strayName())?.[1];
        const name = (random: string): string =>
            path.join(journal, `${owner}-${process.pid}-1-${random.repeat(12)}.jsonl`);
        fs.writeFileSync(name("0"), '{"id":"torn');
        const file = { path: "a", folder: root, name: "a", beforeHash: "", afterHash: "" };
        fs.writeFileSync(
            name("1"),
            JSON.stringify({ id: "", newFolders: [], files: [{ ...file, staged: "a", kept: "d" }] })
        );
        fs.writeFileSync(path.join(journal, "notes.jsonl"), "");
        await recoverInterruptedApply(journalIn(journal));
        expect(snapshot(root)).to.deep.equal(BEFORE);
        expect(namesIn(journal)).to.deep.equal(["notes.jsonl"]);
    });

    async function strayName(): Promise<string> {
        await ended(start(program, "leaveStaged", root));
        const name = namesIn(root).find((candidate) => candidate.startsWith(".north-")) ?? "";
        fs.unlinkSync(path.join(root, name));
        return `-${name.slice(".north-".length)}`;
    }
});
