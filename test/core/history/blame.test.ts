import { expect } from "chai";
import fc from "fast-check";
import { patient } from "../../helpers/patience.js";
import { sampledRuns } from "../../helpers/sample.js";
import { resolveInterruptedChanges } from "../../../src/host/conversations/open-conversation.js";
import { prepareUndo } from "../../../src/host/operations/undo-changes.js";
import { prepareDrop } from "../../../src/host/operations/drop-turn.js";
import { Conversation } from "../../../src/core/conversation/fold.js";
import { EditedRepository, type Files } from "../../helpers/edited-repository.js";

describe("Blame of lines", () => {
    let repository: EditedRepository;
    beforeEach(() => (repository = new EditedRepository()));
    afterEach(() => repository.remove());

    /** The turn of each line, "-" where it is nobody's here. */
    async function turns(file: string): Promise<string> {
        const lines = await repository.blame(file);
        return lines.map(([, origin]) => origin?.change.turn.number ?? "-").join(" ");
    }

    async function undo(turns?: number): Promise<void> {
        await (await prepareUndo(repository.place, repository.entries, turns)).apply();
    }

    async function drop(turn: number): Promise<void> {
        const plan = await prepareDrop(repository.place, repository.entries, turn);
        if (plan.kind === "ready") await plan.planned.apply();
    }

    it("A line from before North has no author, and each edit owns its lines", async () => {
        repository.write("a", "one\ntwo\n");
        repository.say("first");
        await repository.edit({ a: "one\nnew\ntwo\n" });
        repository.say("second");
        await repository.edit({ a: "one\nnew\nTWO\n" });
        expect(await turns("a")).to.equal("- 1 2");
        const origin = (await repository.blame("a"))[1]?.[1];
        expect(origin?.change.turn).to.include({ conversationId: "aaaaaa", question: "first" });
        expect(origin?.change.decidedBy).to.equal("user");
    });

    it("What somebody else wrote between two edits is not credited to the second", async () => {
        repository.say("first");
        await repository.edit({ a: "one\n" });
        repository.write("a", "one\ntheirs\n");
        repository.say("second");
        await repository.edit({ a: "zero\none\ntheirs\n" });
        repository.write("a", "zero\none\ntheirs\nlater\n");
        expect(await turns("a")).to.equal("2 1 - -");
    });

    it("An undo gives lines back to the turn that wrote them, and a redo does too", async () => {
        repository.say("first");
        await repository.edit({ a: "same\nsame\n" });
        repository.say("second");
        await repository.edit({ a: "same\nother\n" });
        await undo();
        expect(await turns("a")).to.equal("1 1");
        await undo();
        expect(await turns("a")).to.equal("1 2");
    });

    it("A line of an applied draft belongs to the turn that drafted it, with the review that approved it", async () => {
        repository.write("a", "one\ntwo\nthree\n");
        repository.say("first");
        const applies = [await repository.draft("a", "one\ntwo\nthree\n", "ONE\ntwo\nthree\n")];
        repository.say("second");
        applies.push(await repository.draft("a", "ONE\ntwo\nthree\n", "ONE\ntwo\nTHREE\nfour\n"));
        expect(await turns("a"), "not applied").to.equal("- - -");
        // Somebody adds a line underneath, and the review drops the last of the draft.
        repository.write("a", "zero\none\ntwo\nthree\n");
        repository.say("third");
        await repository.edit({ a: "zero\nONE\ntwo\nTHREE\nmerged\n" }, { applies });
        expect(await turns("a")).to.equal("- 1 - 2 3");
        const origin = (await repository.blame("a"))[1]?.[1];
        expect(origin?.change).to.include({ decidedBy: "user", isDrafted: true });
    });

    it("A renamed file keeps the origins of its lines, also where the rename changed a line", async () => {
        repository.say("first");
        await repository.edit({ a: "one\ntwo\nthree\n" });
        repository.say("second");
        await repository.edit({ a: null, "b/c": "one\nTWO\nthree\n" }, { command: "mv a b/c" });
        expect(await turns("b/c")).to.equal("1 2 1");
        const origin = (await repository.blame("b/c"))[1]?.[1];
        expect(origin?.change.change.command).to.equal("mv a b/c");
    });

    it("A file deleted and recreated belongs to the second turn alone", async () => {
        repository.say("first");
        await repository.edit({ a: "one\n" });
        repository.say("second");
        await repository.edit({ a: null });
        repository.say("third");
        await repository.edit({ a: "one\n" });
        expect(await turns("a")).to.equal("3");
    });

    it("A change that a kill left unrecorded counts if the file shows that it was made", async () => {
        repository.say("first");
        await repository.killedEdit({ a: "one\n" }, "after");
        repository.say("second");
        await repository.killedEdit({ a: "two\n" }, "before");
        expect(await turns("a")).to.equal("1");
    });

    it("Lines have no author where the turn's original content is no longer stored", async () => {
        repository.write("a", "one\n");
        repository.say("first");
        await repository.edit({ a: "one\ntwo\n" });
        const { contents } = repository;
        const gone = { ...contents, get: () => Promise.reject(new Error("swept")) };
        Object.assign(repository, { contents: gone });
        expect(await turns("a")).to.equal("- -");
    });

    const name = fc.constantFrom("a", "b", "c/d");
    /** Where lines are taken out and others put in, as shares of the file. */
    const splice = fc.record({ at: fc.nat(100), removed: fc.nat(3), added: fc.nat(3) });
    const step = fc.oneof(
        {
            weight: 5,
            arbitrary: fc.record({
                kind: fc.constant("edit" as const),
                name,
                splices: fc.array(splice, { minLength: 1, maxLength: 2 }),
            }),
        },
        {
            weight: 3,
            arbitrary: fc.record({
                kind: fc.constant("batch" as const),
                splice,
                isContainedEffect: fc.boolean(),
            }),
        },
        {
            weight: 2,
            arbitrary: fc.record({
                kind: fc.constant("others" as const),
                name,
                splices: fc.array(splice, { minLength: 1, maxLength: 2 }),
            }),
        },
        {
            weight: 2,
            arbitrary: fc.record({
                kind: fc.constant("undo" as const),
                turns: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
            }),
        },
        {
            weight: 1,
            arbitrary: fc.record({ kind: fc.constant("rename" as const), from: name, to: name }),
        },
        {
            weight: 1,
            arbitrary: fc.record({
                kind: fc.constant("kill" as const),
                name,
                splice,
                when: fc.constantFrom("before" as const, "after" as const),
            }),
        },
        { weight: 1, arbitrary: fc.record({ kind: fc.constant("resume" as const) }) },
        {
            weight: 2,
            arbitrary: fc.record({
                kind: fc.constant("drop" as const),
                turn: fc.integer({ min: 1, max: 9 }),
            }),
        },
        { weight: 1, arbitrary: fc.record({ kind: fc.constant("delete" as const), name }) }
    );

    /** The lines that a splice leaves; new ones name their author and are like no other. */
    let counter = 0;
    function spliced(
        text: string | null,
        { at, removed, added }: { at: number; removed: number; added: number },
        author: string
    ): string {
        const lines = text?.match(/[^\n]*\n/g) ?? [];
        const fresh = Array.from({ length: added }, () => `${author} ${(counter += 1)}\n`);
        lines.splice(Math.floor((at * lines.length) / 100), removed, ...fresh);
        return lines.join("");
    }

    it("For any sequence of edits each line has the author that wrote it", async function () {
        this.timeout(patient(120_000));
        await fc.assert(
            fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 18 }), async (steps) => {
                repository.remove();
                repository = new EditedRepository();
                const open = new Set<string>();
                const doubtful = new Set<string>();
                for (const [index, each] of steps.entries()) {
                    const author = `turn-${index + 1}`;
                    repository.say(author);
                    const edited = (
                        file: string,
                        splices: readonly { at: number; removed: number; added: number }[],
                        by: string
                    ) =>
                        splices.reduce<string | null>(
                            (text, one) => spliced(text, one, by),
                            repository.read(file)
                        ) ?? "";
                    if (each.kind === "edit") {
                        await repository.edit({
                            [each.name]: edited(each.name, each.splices, author),
                        });
                    }
                    if (each.kind === "batch") {
                        const files: Files = {
                            a: edited("a", [each.splice], author),
                            b: edited("b", [each.splice], author),
                        };
                        const command = { command: "sed -i s/a/b/ a b" };
                        await repository.edit(files, each.isContainedEffect ? command : {});
                    }
                    if (each.kind === "others") {
                        // Nobody can know any more whether a killed North had written it.
                        for (const killed of open) doubtful.add(killed);
                        repository.write(each.name, edited(each.name, each.splices, "others"));
                    }
                    if (each.kind === "delete" && repository.read(each.name) !== null) {
                        await repository.edit({ [each.name]: null });
                    }
                    if (each.kind === "rename" && each.from !== each.to) {
                        const text = repository.read(each.from);
                        if (text && repository.read(each.to) === null) {
                            const isLong = text.split("\n").length > 3;
                            const after = isLong
                                ? spliced(text, { at: 50, removed: 1, added: 1 }, author)
                                : text;
                            await repository.edit(
                                { [each.from]: null, [each.to]: after },
                                { command: "mv" }
                            );
                        }
                    }
                    if (each.kind === "kill") {
                        await repository.killedEdit(
                            { [each.name]: edited(each.name, [each.splice], author) },
                            each.when
                        );
                        open.add(author);
                    }
                    if (each.kind === "resume") {
                        const conversation = new Conversation();
                        for (const record of repository.records) conversation.apply(record);
                        await resolveInterruptedChanges({
                            root: repository.root,
                            conversation,
                            record: repository.record,
                        });
                        open.clear();
                    }
                    if (each.kind === "drop") await drop(each.turn).catch(() => {});
                    if (each.kind === "undo") await undo(each.turns).catch(() => {});
                }
                for (const file of ["a", "b", "c/d"]) {
                    for (const [line, origin] of await repository.blame(file)) {
                        const [author = ""] = line.split(" ");
                        const said = origin?.change.turn.question ?? "others";
                        if (!(doubtful.has(author) && said === "others")) {
                            expect(said, line).to.equal(author);
                        }
                    }
                }
            }),
            { numRuns: sampledRuns(60) }
        );
    });
});
