import { expect } from "chai";
import { Once } from "../../src/base/once.js";

describe("Once", () => {
    it("A text is new the first time only, and each owner has its own memory", () => {
        const [one, other] = [new Once(), new Once()];
        expect([one.first("a"), one.first("a"), one.first("b"), other.first("a")]).to.deep.equal([
            true,
            false,
            true,
            true,
        ]);
    });
});
