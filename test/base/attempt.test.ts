import { expect } from "chai";
import { attempt } from "../../src/base/attempt.js";
import { fieldsIn, jsonIn } from "../../src/base/fields.js";

describe("An attempt", () => {
    it("returns what the work returns, even if that is nothing", () => {
        expect(attempt(() => 1, 2)).to.equal(1);
        expect(attempt(() => undefined, 2)).to.equal(undefined);
    });

    it("returns the other value if the work throws, and undefined if there is none", () => {
        const fail = () => {
            throw new Error("no");
        };
        expect(attempt(fail, 2)).to.equal(2);
        expect(attempt(fail)).to.equal(undefined);
    });
});

describe("JSON that somebody else wrote", () => {
    it("is undefined if it is torn, and a list is not an object", () => {
        expect(jsonIn('[1,{"a":2}]')).to.deep.equal([1, { a: 2 }]);
        expect(jsonIn('{"a":')).to.equal(undefined);
        expect(fieldsIn('{"a":2}')).to.deep.equal({ a: 2 });
        expect(fieldsIn("[1]")).to.equal(undefined);
        expect(fieldsIn("null")).to.equal(undefined);
    });
});
