import { expect } from "chai";
import fc from "fast-check";
import { BodyMemory } from "../../src/provider-kit/growing-body.js";

const texts = fc.array(fc.string({ maxLength: 50 }), { maxLength: 20 });
const toPieces = (of: readonly string[]) => of.map((text) => Buffer.from(text));

describe("Body memory", () => {
    it("Any two bodies are joined, whatever they have in common", () => {
        const one = fc.record({ keep: fc.nat(20), more: texts, isGivenBack: fc.boolean() });
        fc.assert(
            fc.property(fc.array(one, { maxLength: 8 }), (bodies) => {
                const memory = new BodyMemory();
                let pieces: readonly Buffer[] = [];
                for (const { keep, more, isGivenBack } of bodies) {
                    pieces = [...pieces.slice(0, keep), ...toPieces(more)];
                    const body = memory.join(pieces);
                    expect(body.equals(Buffer.concat(pieces))).to.equal(true);
                    if (isGivenBack) memory.giveBack(body);
                }
            })
        );
    });

    it("A body that is still being sent is left alone", () => {
        const [head, one, other, end] = toPieces(["[", "1", "2", "]"]) as [Buffer, ...Buffer[]];
        const memory = new BodyMemory();
        const first = memory.join([head, one!, end!]);
        const second = memory.join([head, other!, end!]);
        expect([String(first), String(second)]).to.deep.equal(["[1]", "[2]"]);
        memory.giveBack(first);
        const third = memory.join([head, one!, one!, end!]);
        expect([String(second), String(third)]).to.deep.equal(["[2]", "[11]"]);
    });

    it("The memory of a released body is reused, and only new content is copied", () => {
        const pieces = toPieces(["[", "1", "]"]);
        const memory = new BodyMemory();
        const first = memory.join(pieces);
        memory.giveBack(first);
        pieces[1]?.write("x");
        const second = memory.join([...pieces.slice(0, 2), Buffer.from("2"), Buffer.from("]")]);
        expect(String(second)).to.equal("[12]");
        expect(String(first)).to.equal("[12");
    });
});
