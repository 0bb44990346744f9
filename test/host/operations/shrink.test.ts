import path from "node:path";
import { expect } from "chai";
import fc from "fast-check";
import { Conversation } from "../../../src/core/conversation/fold.js";
import { changeSetOf } from "../../../src/core/draft/view.js";
import { prepareShrink, type Shrunk } from "../../../src/host/operations/shrink.js";
import { prepareUndo } from "../../../src/host/operations/undo-changes.js";
import { EditedRepository, type Files } from "../../helpers/edited-repository.js";
import { sampledRuns } from "../../helpers/sample.js";
import { patient } from "../../helpers/patience.js";

describe("Shrinking a draft or a turn", () => {
    let repository: EditedRepository;
    beforeEach(() => (repository = new EditedRepository()));
    afterEach(() => repository.remove());

    function find(
        command: string,
        more: {
            readonly turn?: number;
            readonly maxTimeMs?: number;
            readonly progress?: { push(line: string): unknown };
        } = {}
    ): Promise<Shrunk> {
        const { top, data, place } = repository;
        const state = Conversation.of(repository.records);
        const conversation = { ...place.conversation, state };
        return prepareShrink(
            { ...place, conversation },
            {
                ...{ command, turn: more.turn, timeoutMs: patient(20_000) },
                maxTimeMs: more.maxTimeMs ?? 600_000,
                directories: {
                    ...{ config: path.join(top, "config"), data, state: path.join(top, "state") },
                },
                environment: { PATH: process.env.PATH, HOME: path.join(top, "home") },
                signal: new AbortController().signal,
                progress: (text) => void more.progress?.push(text),
            }
        );
    }

    const refusal = (command: string, turn?: number) =>
        find(command, turn === undefined ? {} : { turn }).then(
            () => "",
            (error: Error) => error.message
        );

    async function draft(files: Files, after: Files): Promise<void> {
        repository.say("draft");
        for (const [file, text] of Object.entries(files)) repository.write(file, text);
        for (const [file, text] of Object.entries(after)) {
            if (text !== null) await repository.draft(file, files[file] ?? null, text);
        }
    }

    async function drafted(): Promise<Readonly<Record<string, string>>> {
        const { draft: open } = Conversation.of(repository.records);
        const { changes } = await changeSetOf(open.view, repository.contents);
        return Object.fromEntries(
            changes.map(({ path: file, after }) => [file, Buffer.from(after ?? []).toString()])
        );
    }

    /** Lines far enough apart to be hunks of their own. */
    const lines = (changed: readonly number[], count = 6) =>
        Array.from({ length: count }, (_, index) => {
            const line = changed.includes(index) ? `x${index} = ${index + 100}` : `x${index} = 0`;
            return `${line}\n${"pass\n".repeat(8)}`;
        }).join("");

    it("The hunks a check does not need are taken out of the draft, and an undo brings them back", async () => {
        await draft(
            { "a.py": lines([]), "b.py": "b = 0\n" },
            { "a.py": lines([1, 2, 4]), "b.py": "b = 1\n", "new.py": "n = 1\n" }
        );
        const before = await drafted();
        const progress: string[] = [];
        const found = await find("grep -q 'x2 = 102' a.py && grep -q 'b = 1' b.py", { progress });
        const named = (hunks: Shrunk["needed"]) =>
            hunks.map(({ path: file, header }) => `${file} ${header}`);
        expect(named(found.needed)).to.deep.equal([
            "a.py @@ -16,7 +16,7 @@",
            "b.py @@ -1,1 +1,1 @@",
        ]);
        expect(named(found.unneeded)).to.deep.equal([
            "a.py @@ -7,7 +7,7 @@",
            "a.py @@ -34,7 +34,7 @@",
            "new.py (the whole file)",
        ]);
        expect(found).to.deep.include({ name: "the draft", isMinimal: true, apart: [] });
        expect(progress).to.have.lengthOf(found.runs);
        expect(progress.slice(0, 2).map((line) => line.replace(/ \(.*/, ""))).to.deep.equal([
            "5 of 5 hunks: passes",
            "0 of 5 hunks: exit 1",
        ]);
        expect(await drafted()).to.deep.equal(before);
        await found.planned?.apply();
        expect(await drafted()).to.deep.equal({ "a.py": lines([2]), "b.py": "b = 1\n" });
        expect(repository.read("a.py")).to.equal(lines([]));
        await (await prepareUndo(repository.place, repository.entries)).apply();
        expect(await drafted()).to.deep.equal(before);
    });

    it("A turn's edits are shrunk in the project and later work stays", async () => {
        repository.write("a.py", lines([]));
        repository.say("one");
        await repository.edit({ "a.py": lines([0, 3]), "old.py": "o = 1\n" });
        repository.say("two");
        await repository.edit({ "a.py": `${lines([0, 3])}later = 1\n` });
        const before = repository.read("a.py");
        const found = await find("grep -q 'x3 = 103' a.py", { turn: 1 });
        expect(found).to.deep.include({ name: "turn 1", isMinimal: true });
        expect(found.unneeded.map(({ path: file }) => file)).to.deep.equal(["a.py", "old.py"]);
        expect(repository.read("a.py")).to.equal(before);
        await found.planned?.apply();
        expect(repository.read("a.py")).to.equal(`${lines([3])}later = 1\n`);
        expect(repository.read("old.py")).to.equal(null);
        await (await prepareUndo(repository.place, repository.entries)).apply();
        expect([repository.read("a.py"), repository.read("old.py")]).to.deep.equal([
            before,
            "o = 1\n",
        ]);
    });

    it("Comments, documents, names and tests stay and are listed apart", async () => {
        const code = (comment: string, name: string, value: number) =>
            `# ${comment}\n${"pass\n".repeat(8)}def ${name}():\n    return 0\n${"pass\n".repeat(8)}value = ${value}\n`;
        await draft(
            {
                "a.py": code("old", "old_name", 0),
                "b.py": "b = 0\n",
                "README.md": "old\n",
                "test_a.py": "old\n",
            },
            {
                "a.py": code("new", "new_name", 1),
                "b.py": "b = 1\n",
                "README.md": "new\n",
                "test_a.py": "new\n",
            }
        );
        const found = await find("grep -q 'value = 1' a.py");
        expect(found.apart.map(({ path: file, kind }) => `${file} ${kind}`)).to.deep.equal([
            "README.md documents",
            "a.py comments",
            "a.py names",
            "test_a.py tests",
        ]);
        await found.planned?.apply();
        expect(await drafted()).to.deep.equal({
            "README.md": "new\n",
            "a.py": code("new", "new_name", 1),
            "test_a.py": "new\n",
        });
    });

    it("A check that passes without the change, or fails with it, stops the search", async () => {
        await draft({ "a.py": "a = 0\n" }, { "a.py": "a = 1\n", "b.py": "b = 1\n" });
        expect(await refusal("true")).to.equal(
            "`true` passes without the draft's 2 hunks of code too, so it cannot tell what is needed."
        );
        expect(await refusal("exit 3")).to.equal(
            "`exit 3` does not pass with all of the draft: it exits with 3."
        );
        expect(await refusal("no-such-program")).to.contain("the command could not run");
        expect(await refusal("true", 9)).to.contain("There is no turn 9");
        repository.say("no edit");
        expect(await refusal("true", 2)).to.equal("Turn 2 changed no file.");
    });

    it("A change that no check can judge, and a missing draft, are reported", async () => {
        expect(await refusal("true")).to.equal("The conversation has no open draft.");
        await draft({ "README.md": "old\n" }, { "README.md": "new\n" });
        expect(await refusal("true")).to.equal(
            "No check can judge the draft: it changes only documents."
        );
    });

    it("A combination that does not parse is not run", async () => {
        const gap = "f();\n".repeat(8);
        const text = (open: string, close: string, value: number) =>
            `${open}${gap}${close}${gap}let value = ${value};\n`;
        await draft({ "a.js": text("", "", 0) }, { "a.js": text("if (x) {\n", "}\n", 1) });
        const progress: string[] = [];
        const found = await find("grep -q 'value = 1' a.js", { progress });
        expect(found.unneeded).to.have.lengthOf(2);
        expect(progress.map((line) => line.slice(0, 1))).to.deep.equal(["3", "0", "1", "1"]);
    });

    it("A check that passes and then fails on the same files proposes nothing", async () => {
        await draft({ "a.py": lines([]) }, { "a.py": lines([1, 2, 4]) });
        const progress = {
            // Somebody breaks the project once the needed hunk is found.
            push: (line: string) => line.startsWith("1 of 3") && repository.write("broken", ""),
        };
        const message = await find("[ ! -e broken ] && grep -q 'x1 = 101' a.py", {
            progress,
        }).then(
            () => "",
            (error: Error) => error.message
        );
        expect(message).to.match(/passed and then failed on the same files\.$/);
    });

    it("Once time is up the best part so far is proposed", async () => {
        await draft({ "a.py": lines([]) }, { "a.py": lines([1, 2, 4]) });
        const found = await find("grep -q 'x1 = 101' a.py", { maxTimeMs: 0 });
        expect(found).to.deep.include({ isMinimal: false, runs: 2, unneeded: [] });
        expect(found).not.to.have.property("planned");
    });

    it("Among planted changes, no needed hunk is dropped and each unneeded one is found", async () => {
        const planted = fc.record({
            changed: fc.uniqueArray(fc.nat(9), { minLength: 1, maxLength: 10 }),
            needed: fc.uniqueArray(fc.nat(9), { minLength: 1, maxLength: 3 }),
        });
        await fc.assert(
            fc.asyncProperty(planted, async ({ changed, needed }) => {
                repository.remove();
                repository = new EditedRepository();
                const all = [...new Set([...changed, ...needed])];
                await draft({ "a.py": lines([], 10) }, { "a.py": lines(all, 10) });
                const checks = needed.map((index) => `grep -q 'x${index} = ${index + 100}' a.py`);
                const found = await find(checks.join(" && "));
                await found.planned?.apply();
                expect(await drafted()).to.deep.equal({ "a.py": lines(needed, 10) });
                expect(found.runs).to.be.at.most(all.length ** 2 + 3 * all.length + 3);
            }),
            { numRuns: sampledRuns(20) }
        );
    });
});
