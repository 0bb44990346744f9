import { expect } from "chai";

import { nearName } from "../../src/base/near-name.js";

const NAMES = ["help", "model", "mode", "memory", "costs", "undo", "new"];

describe("nearName", () => {
    for (const [typed, meant] of [
        ["modle", "model"],
        ["hlep", "help"],
        ["cost", "costs"],
        ["memorry", "memory"],
        ["unod", "undo"],
    ] as const) {
        it(`/${typed} is taken for /${meant}`, () => {
            expect(nearName(typed, NAMES)).to.equal(meant);
        });
    }

    it("A dissimilar name matches nothing", () => {
        for (const typed of ["usr", "x", "etc", "deploy"]) {
            expect(nearName(typed, NAMES)).to.equal(undefined);
        }
    });
});
