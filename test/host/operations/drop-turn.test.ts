import { expect } from "chai";
import fc from "fast-check";
import { patient } from "../../helpers/patience.js";
import { sampledRuns } from "../../helpers/sample.js";
import { prepareUndo } from "../../../src/host/operations/undo-changes.js";
import { prepareDrop } from "../../../src/host/operations/drop-turn.js";
import { Conversation } from "../../../src/core/conversation/fold.js";
import { resolveInterruptedChanges } from "../../../src/host/conversations/open-conversation.js";
import { changedTurns } from "../../../src/host/operations/turn-list.js";
import { EditedRepository } from "../../helpers/edited-repository.js";

const FILES = ["a", "b", "c/d"] as const;

describe("Dropping the edits of a turn", () => {
    let repository: EditedRepository;
    beforeEach(() => (repository = new EditedRepository()));
    afterEach(() => repository.remove());

    async function turn(files: Readonly<Record<string, string | null>>): Promise<void> {
        repository.say("go on");
        await repository.edit(files);
    }

    async function drop(number: number): Promise<string> {
        const plan = await prepareDrop(repository.place, repository.entries, number);
        if (plan.kind === "conflicts") return plan.conflicts.map(({ text }) => text).join("\n");
        await plan.planned.apply();
        return "dropped";
    }

    const undo = async () => (await prepareUndo(repository.place, repository.entries)).apply();
    const tree = () => FILES.map((file) => repository.read(file));
    const refusal = (number: number) => drop(number).catch((error: Error) => error.message);

    it("A drop keeps what a later turn and another person wrote in the same file", async () => {
        await turn({ a: "1\n2\n3\n4\n5\n6\n" });
        await turn({ a: "1\ntwo\n3\n4\n5\n6\n", b: "new\n" });
        await turn({ a: "1\ntwo\n3\n4\nfive\n6\n" });
        repository.write("a", "0\n1\ntwo\n3\n4\nfive\n6\n");
        expect(await drop(2)).to.equal("dropped");
        expect(repository.read("a")).to.equal("0\n1\n2\n3\n4\nfive\n6\n");
        expect(repository.read("b")).to.equal(null);
        const origins = await repository.blame("a");
        expect(origins.map(([, origin]) => origin?.change.turn.number)).to.deep.equal([
            undefined,
            1,
            1,
            1,
            1,
            3,
            1,
        ]);
    });

    it("A file that the turn created and that is gone does not keep its other edits from being dropped", async () => {
        await turn({ a: "1\n" });
        await turn({ a: "1\ntwo\n", b: "made\n" });
        await turn({ b: null });
        expect(await drop(2)).to.equal("dropped");
        expect(tree()).to.deep.equal(["1\n", null, null]);
    });

    it("A conflict shows what the turn wrote, what is there now and what was before, and writes nothing", async () => {
        await turn({ a: "1\n2\n3\n", b: "kept\n" });
        await turn({ a: "1\ntwo\n3\n", b: "changed\n" });
        await turn({ a: "1\nzwei\n3\n" });
        const before = tree();
        expect(await drop(2)).to.equal(
            "a:2\n  the turn's  two\n  now         zwei\n  before      2"
        );
        expect(tree()).to.deep.equal(before);
    });

    it("A text with a NUL is merged too, because its review showed it as text", async () => {
        await turn({ a: "\0\n2\n3\n4\n" });
        await turn({ a: "\0\ntwo\n3\n4\n" });
        repository.write("a", "\0\ntwo\n3\n4\nfive\n");
        expect(await drop(2)).to.equal("dropped");
        expect(repository.read("a")).to.equal("\0\n2\n3\n4\nfive\n");
    });

    it("A file that the turn created and somebody changed is a conflict", async () => {
        await turn({ a: "1\n" });
        repository.write("a", "1\n2\n");
        expect(await drop(1)).to.equal("a was created by the turn and changed since.");
    });

    it("A turn without edits, one that was dropped and one that does not exist are refused", async () => {
        await turn({ a: "1\n" });
        repository.say("only talk");
        await drop(1);
        expect(await refusal(1)).to.contain("The edits of turn 1 are already undone");
        expect(await refusal(2)).to.contain("Turn 2 changed no file");
        expect(await refusal(3)).to.contain("the conversation has 2 turns");
    });

    it("The list of turns says which were dropped and undone", async () => {
        await turn({ a: "1\n" });
        await turn({ b: "1\n" });
        await drop(1);
        const states = () => changedTurns(repository.entries).map(({ inEffect }) => inEffect);
        expect(states()).to.deep.equal(["none", "all"]);
        await undo();
        expect(states()).to.deep.equal(["all", "all"]);
    });

    const line = fc.constantFrom("one\n", "two\n", "three\n", "é\r\n", "no end");
    const text = fc.array(line, { maxLength: 8 }).map((lines) => lines.join(""));
    const content = fc.option(text, { freq: 5 });
    const file = fc.constantFrom(...FILES);
    const edit = fc.record({
        kind: fc.constantFrom("edit", "edit", "others", "batch", "effect", "undo", "kill"),
        file,
        content,
        other: text,
        isWritten: fc.boolean(),
    });

    /** One thing that happens to the project; a killed North is resumed. */
    async function happen({
        kind,
        file,
        content,
        other,
        isWritten,
    }: typeof edit extends fc.Arbitrary<infer Value> ? Value : never): Promise<void> {
        const isSame = repository.read(file) === content;
        if (kind === "undo") return undo().catch(() => {});
        if (kind === "others") return repository.write(file, content);
        repository.say("go on");
        const second = FILES.find((name) => name !== file && repository.read(name) !== other);
        if (isSame) return;
        if (kind === "kill") {
            await repository.killedEdit({ [file]: content }, isWritten ? "after" : "before");
            const conversation = new Conversation();
            for (const record of repository.records) conversation.apply(record);
            const { root, record } = repository;
            return resolveInterruptedChanges({ root, conversation, record });
        }
        const also = kind !== "edit" && second !== undefined ? { [second]: other } : {};
        const origin = kind === "effect" ? { command: "make" } : {};
        await repository.edit({ [file]: content, ...also }, origin);
    }

    it("Whatever was edited, a drop of any turn that an undo follows changes no byte", async function () {
        this.timeout(patient(120_000));
        await fc.assert(
            fc.asyncProperty(
                fc.array(edit, { minLength: 2, maxLength: 8 }),
                fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 3 }),
                async (edits, drops) => {
                    repository.remove();
                    repository = new EditedRepository();
                    for (const each of edits) await happen(each);
                    for (const number of drops) {
                        const before = tree();
                        if ((await refusal(number)) !== "dropped") {
                            expect(tree()).to.deep.equal(before);
                            continue;
                        }
                        const dropped = tree();
                        expect(dropped).to.not.deep.equal(before);
                        await undo();
                        expect(tree()).to.deep.equal(before);
                        await undo();
                        expect(tree()).to.deep.equal(dropped);
                    }
                }
            ),
            { numRuns: sampledRuns(80) }
        );
    });
});
