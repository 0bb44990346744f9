import { expect } from "chai";
import { highestPid } from "../../../src/shell/containment/linux/process-limit.js";

const ROOT = 0;

describe("The highest PID of a contained run", () => {
    for (const release of ["5.10.0-28-amd64", "6.1.0-18-amd64", "6.8.0-45-generic", "6.13.12"]) {
        it(`Root sets no process limit on Linux ${release}, where it would be the machine's`, () => {
            expect(highestPid(2048, { release, user: ROOT })).to.equal(undefined);
        });
    }

    for (const release of ["6.14.0", "6.18.44-fc", "7.0.1"]) {
        it(`Root sets a process limit above the run's on Linux ${release}, where it applies to the run alone`, () => {
            expect(highestPid(2048, { release, user: ROOT })).to.be.greaterThan(2048);
        });
    }

    it("An unprivileged user, to whom the process limit applies, sets none", () => {
        expect(highestPid(2048, { release: "6.18.0", user: 1000 })).to.equal(undefined);
    });

    it("A release without numbers counts as an old one", () => {
        expect(highestPid(2048, { release: "unknown", user: ROOT })).to.equal(undefined);
    });
});
