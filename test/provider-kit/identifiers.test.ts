import { expect } from "chai";
import fc from "fast-check";
import { toCallId, toToolName } from "../../src/provider-kit/identifiers.js";

const rules = { pattern: /^[a-zA-Z0-9_-]+$/, maxLength: 40 };
const anyId = fc.oneof(
    fc.string(),
    fc.string({ unit: "binary" }),
    fc.uuid(),
    fc.string({ minLength: 41 })
);

describe("Call ids", () => {
    it("An id that the vendor accepts is kept", () => {
        for (const id of ["call_1", "toolu_01AbC", "fc-9"]) {
            expect(toCallId(id, rules)).to.equal(id);
        }
    });

    it("A converted id always fits and is stable", () => {
        fc.assert(
            fc.property(anyId, (id) => {
                const mapped = toCallId(id, rules);
                expect(mapped).to.match(rules.pattern);
                expect(mapped.length).to.be.within(1, rules.maxLength);
                expect(toCallId(id, rules)).to.equal(mapped);
                expect(toCallId(mapped, rules)).to.equal(mapped);
            })
        );
    });

    it("Ids that differ only in rejected characters stay distinct", () => {
        fc.assert(
            fc.property(anyId, anyId, (one, other) => {
                fc.pre(one !== other);
                expect(toCallId(one, rules)).to.not.equal(toCallId(other, rules));
            }),
            { examples: [["call|1", "call:1"]] }
        );
    });
});

describe("Tool names", () => {
    it("A converted tool name always fits", () => {
        fc.assert(
            fc.property(anyId, (name) => {
                expect(toToolName(name)).to.match(/^[a-zA-Z0-9_-]{1,64}$/);
            })
        );
    });
});
