import { expect } from "chai";
import { startCpuClock } from "../../src/base/cpu-clock.js";

describe("CPU clock", () => {
    it("The CPU clock counts CPU time, and never more than the elapsed time", () => {
        const begin = performance.now();
        const spentMs = startCpuClock();
        while (spentMs() < 50);
        expect(performance.now() - begin).to.be.at.least(50);
    });

    it("The CPU clock counts a tenth of idle time", () => {
        const spentMs = startCpuClock();
        const begin = performance.now();
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
        const passed = performance.now() - begin;
        expect(spentMs())
            .to.be.at.least(passed / 10)
            .and.lessThan(passed / 2);
    });
});
