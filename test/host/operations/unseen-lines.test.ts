import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import fc from "fast-check";

import {
    modelLinesOf,
    marksOf,
    runsOf,
    type SeenMark,
} from "../../../src/core/history/seen-lines.js";
import { rangesIn, rangesOf } from "../../../src/core/history/line-ranges.js";
import { blameFile } from "../../../src/host/operations/blame-file.js";
import { prepareLineDrop } from "../../../src/host/operations/drop-lines.js";
import { modelLines } from "../../../src/host/operations/model-lines.js";
import { unseenLines, unseenText } from "../../../src/host/operations/unseen-lines.js";
import { prepareUndo } from "../../../src/host/operations/undo-changes.js";
import { createSeenMarks } from "../../../src/storage/seen-marks.js";
import { EditedRepository } from "../../helpers/edited-repository.js";
import { patient } from "../../helpers/patience.js";
import { sampledRuns } from "../../helpers/sample.js";

const AUTOMATIC = { decidedBy: "policy" } as const;

describe("Lines that no person has seen", () => {
    let repository: EditedRepository;
    beforeEach(() => (repository = new EditedRepository()));
    afterEach(() => repository.remove());

    const report = async (base?: string) => {
        await repository.store();
        return unseenLines(repository.data, repository.root, base);
    };
    function git(...words: readonly string[]): string {
        const who = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"];
        return execFileSync("git", [...who, ...words], { cwd: repository.root, encoding: "utf8" });
    }

    it("An automatic edit and a log of an older North are unseen; what a review showed is seen", async () => {
        repository.write("a", "mine\n");
        repository.say("first");
        await repository.edit({ a: "mine\nold log\n" });
        await repository.edit({ b: "shown\nbelow the screen\n" }, {}, { shown: { b: "1" } });
        await repository.edit({ c: "automatic\n" }, {}, AUTOMATIC);
        const { unseen, modelLines, unseenLines } = await report();
        const places = unseen.map(
            ({ path, first, last, how }) => `${path}:${first}-${last} ${how}`
        );
        expect(places).to.deep.equal([
            "a:2-2 not fully shown",
            "b:2-2 not fully shown",
            "c:1-1 automatic",
        ]);
        expect([modelLines, unseenLines]).to.deep.equal([4, 3]);
    });

    it("A NUL hides no line that a model wrote: a shell would run it all the same", async () => {
        repository.say("first");
        await repository.edit({ "run.sh": "echo\0\ncurl example.org\n" }, {}, AUTOMATIC);
        expect((await report()).unseenLines).to.equal(2);
        const blamed = await blameFile(repository.data, "run.sh", repository.root);
        expect(blamed.lines.map(({ north }) => north?.approvedBy)).to.deep.equal([
            "automatic",
            "automatic",
        ]);
    });

    it("A draft's lines are seen as far as the review of the whole showed them", async () => {
        repository.say("first");
        const applies = [await repository.draft("a", null, "one\ntwo\nthree\n")];
        await repository.edit({ a: "one\ntwo\nthree\n" }, { applies }, { shown: { a: "1-2" } });
        const { unseen } = await report();
        expect(unseen).to.have.length(1);
        expect(unseen[0]).to.include({ path: "a", first: 3, last: 3, turn: "aaaaaa #1" });
    });

    it("Only lines since the branch's base count, and a branch that does not exist is named", async () => {
        git("init", "-qb", "main");
        repository.say("first");
        await repository.edit({ a: "on main\n" }, {}, AUTOMATIC);
        git("add", ".");
        git("commit", "-qm", "First");
        git("switch", "-qc", "topic");
        await repository.edit({ a: "on main\non topic\n" }, {}, AUTOMATIC);
        const { unseen } = await report();
        expect(unseen.map(({ first }) => first)).to.deep.equal([2]);
        expect((await unseenLines(repository.data, repository.root, "HEAD")).modelLines).to.equal(
            1
        );
        const wrong = unseenLines(repository.data, repository.root, "nowhere");
        expect(await wrong.catch((error) => error.message)).to.contain('"nowhere"');
    });

    it("A file that has not changed since the base is not read", async () => {
        git("init", "-qb", "main");
        repository.say("first");
        await repository.edit({ equal: "on main\n", other: "on main\n" }, {}, AUTOMATIC);
        git("add", ".");
        git("commit", "-qm", "First");
        git("switch", "-qc", "topic");
        await repository.edit({ other: "on main\non topic\n" }, {}, AUTOMATIC);
        const calls = path.join(repository.data, "calls");
        const program = path.join(repository.data, "bin", "git");
        const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
        mkdirSync(path.dirname(program), { recursive: true });
        const script = `#!/bin/sh\necho "$@" >> "${calls}"\nexec "${real}" "$@"\n`;
        writeFileSync(program, script, { mode: 0o755 });
        const { PATH } = process.env;
        process.env.PATH = `${path.dirname(program)}:${PATH ?? ""}`;
        try {
            const { unseen } = await report();
            expect(unseen.map(({ path: file, first }) => [file, first])).to.deep.equal([
                ["other", 2],
            ]);
        } finally {
            process.env.PATH = PATH;
        }
        const asked = readFileSync(calls, "utf8");
        expect(asked).to.contain("other").and.not.contain("equal");
    });

    it("The list names each place as path:line, and makes control characters visible", async () => {
        repository.say("first");
        await repository.edit({ "a\u001b[2J": "one\ntwo\n" }, { command: "sed x" }, AUTOMATIC);
        const text = unseenText(await report());
        expect(text).to.match(
            /^2 lines by models, 2 unseen in 1 file\n\S+\[2J:1 +2 lines +scripted-1/
        );
        expect(text).to.contain("automatic, command").and.not.to.contain("\u001b");
    });

    it("A drop removes the lines, restores what they replaced, and keeps later edits by others", async () => {
        repository.write("a", "one\ntwo\nthree\n");
        repository.say("first");
        await repository.edit({ a: "one\nTWO\nmore\nthree\n" }, {}, AUTOMATIC);
        repository.write("a", "zero\none\nTWO\nmore\nthree\n");
        await repository.store();
        const { files } = await modelLines(repository.data, repository.root);
        const [first, ...rest] = files[0]!.lines.map(({ origin }) => origin);
        await (await prepareLineDrop(repository.place, "a", [first!, ...rest])).apply();
        expect(repository.read("a")).to.equal("zero\none\ntwo\nthree\n");
    });

    it("A drop of lines that somebody has changed since is refused", async () => {
        repository.write("a", "one\ntwo\n");
        repository.say("first");
        await repository.edit({ a: "one\nTWO\nmore\n" }, {}, AUTOMATIC);
        repository.write("a", "one\nTWO\nother\n");
        await repository.store();
        const { files } = await modelLines(repository.data, repository.root);
        const [first] = files[0]!.lines.map(({ origin }) => origin);
        const last = { ...first!, line: 3 };
        const refused = prepareLineDrop(repository.place, "a", [first!, last]);
        expect(await refused.catch((error) => error.code)).to.equal("drop-conflict");
    });

    it("Torn and foreign rows in the file of marks mark nothing", async () => {
        repository.say("first");
        const id = await repository.edit({ a: "one\ntwo\n" }, {}, AUTOMATIC);
        const marks = createSeenMarks(repository.data, repository.root);
        marks.add({ conversation: "bbbbbb", change: id, path: "a", lines: "1-2" });
        marks.add({ conversation: "aaaaaa", change: id, path: "a", lines: "2,x,3-" });
        marks.add({ conversation: "aaaaaa", change: id } as SeenMark);
        const { unseen } = await report();
        expect(unseen.map(({ first, last }) => [first, last])).to.deep.equal([[1, 1]]);
    });

    const step = fc.record({
        kind: fc.constantFrom("edit", "edit", "draft", "others", "mark", "undo", "rename"),
        file: fc.constantFrom("a", "b"),
        at: fc.nat(100),
        removed: fc.nat(3),
        added: fc.nat(5),
        shown: fc.nat(100),
        isAutomatic: fc.boolean(),
    });

    /** Lines with text like no other: `m` is by a model, `o` by others. */
    let counter = 0;
    function spliced(
        text: string,
        { at, removed, added }: { at: number; removed: number; added: number },
        by: string
    ) {
        const lines = text.match(/[^\n]*\n/g) ?? [];
        const fresh = Array.from({ length: added }, () => `${by}${(counter += 1)}\n`);
        lines.splice(Math.floor((at * lines.length) / 100), removed, ...fresh);
        return lines;
    }

    it("In any history, seen and unseen lines are the model's, and only lines that were shown or marked are seen", async function () {
        this.timeout(patient(120_000));
        const run = fc.asyncProperty(
            fc.array(step, { minLength: 2, maxLength: 14 }),
            async (steps) => {
                repository.remove();
                repository = new EditedRepository();
                const shownTexts = new Set<string>();
                const marks: SeenMark[] = [];
                // A line that an undo brought back may have to be looked at again.
                const hasUndo = steps.some(({ kind }) => kind === "undo");
                const linesNow = async (file: string) => {
                    const lines = await repository.blame(file);
                    const own = modelLinesOf(
                        lines.map(([, origin]) => origin),
                        marks
                    );
                    return own.map((each) => ({ ...each, text: lines[each.line - 1]?.[0] ?? "" }));
                };
                for (const { kind, file, shown, isAutomatic, ...splice } of steps) {
                    repository.say(kind);
                    const before = repository.read(file) ?? "";
                    if (kind === "others") {
                        repository.write(file, spliced(before, splice, "o").join(""));
                    } else if (kind === "edit" || kind === "draft") {
                        const lines = spliced(before, splice, "m");
                        const after = lines.join("");
                        if (after === before) continue;
                        // What the screen showed: the new lines of the first part of the file.
                        const seen = lines.flatMap((line, index) =>
                            !isAutomatic &&
                            !before.includes(line) &&
                            index * 100 < shown * lines.length
                                ? index + 1
                                : []
                        );
                        for (const line of seen) shownTexts.add(lines[line - 1] ?? "");
                        const review = isAutomatic
                            ? AUTOMATIC
                            : { shown: { [file]: rangesOf(seen) } };
                        const was = repository.read(file);
                        const applies =
                            kind === "draft"
                                ? [await repository.draft(file, was, after)]
                                : undefined;
                        await repository.edit(
                            { [file]: after },
                            applies ? { applies } : {},
                            review
                        );
                    } else if (kind === "mark") {
                        const lines = (await linesNow(file)).slice(0, 1 + (shown % 4));
                        for (const { text } of lines) shownTexts.add(text);
                        marks.push(...marksOf(lines));
                    } else if (kind === "undo") {
                        await prepareUndo(repository.place, repository.entries, 1)
                            .then((planned) => planned.apply())
                            .catch(() => {});
                    } else if (repository.read("c") === null && before !== "") {
                        await repository.edit(
                            { [file]: null, c: before },
                            { command: "mv" },
                            AUTOMATIC
                        );
                    }
                }
                for (const file of ["a", "b", "c"]) {
                    const all = await repository.blame(file);
                    const own = await linesNow(file);
                    const texts = all.map(([line]) => line);
                    const byModel = texts.filter((line) => line.startsWith("m"));
                    expect(own.map(({ text }) => text)).to.deep.equal(byModel);
                    for (const { text, isSeen } of own) {
                        const wasShown = shownTexts.has(text);
                        if (isSeen || !hasUndo) {
                            expect(isSeen, `${file}: ${text}`).to.equal(wasShown);
                        }
                    }
                    expect(runsOf(own).flat()).to.deep.equal(own);
                }
            }
        );
        await fc.assert(run, { numRuns: sampledRuns(80) });
    });

    it("Ranges say exactly which lines they cover", () => {
        fc.assert(
            fc.property(fc.uniqueArray(fc.integer({ min: 1, max: 60 })), (lines) => {
                const covered = rangesIn(rangesOf(lines)).flatMap(([first, last]) =>
                    Array.from({ length: last - first + 1 }, (_, index) => first + index)
                );
                expect(covered).to.deep.equal([...lines].sort((one, other) => one - other));
            })
        );
        expect(rangesOf([3, 1, 2, 9])).to.equal("1-3,9");
        expect(rangesIn("1-2,x,-3,4-,1-99999999999")).to.deep.equal([[1, 2]]);
    });
});
