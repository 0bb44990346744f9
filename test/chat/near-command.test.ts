import { expect } from "chai";

import { nearCommand } from "../../src/chat/near-command.js";

const NAMES = ["help", "model", "mode", "memory", "costs", "undo", "new"];

describe("nearCommand", () => {
    for (const [typed, meant] of [
        ["modle", "model"],
        ["hlep", "help"],
        ["cost", "costs"],
        ["memorry", "memory"],
        ["unod", "undo"],
    ] as const) {
        it(`takes /${typed} for /${meant}`, () => {
            expect(nearCommand(typed, NAMES)).to.equal(meant);
        });
    }

    it("finds nothing in what is something else", () => {
        for (const typed of ["usr", "x", "etc", "deploy"]) {
            expect(nearCommand(typed, NAMES)).to.equal(undefined);
        }
    });
});
