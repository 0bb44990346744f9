import { expect } from "chai";
import {
    counted,
    countedAtLeast,
    formatDuration,
    formatElapsed,
    formatTokens,
    formatUsd,
    formatInteger,
    truncate,
} from "../../src/base/format.js";

describe("format", () => {
    for (const [usd, shown] of [
        [0, "$0.00"],
        [0.0001, "<$0.001"],
        [0.001, "$0.001"],
        [0.0044, "$0.004"],
        [0.00949, "$0.009"],
        [0.00996, "$0.01"],
        [0.01, "$0.01"],
        [0.12, "$0.12"],
        [99.99, "$99.99"],
        [1234.5, "$1234.50"],
        [-0.5, "-$0.50"],
    ] as const) {
        it(`A price of ${usd} reads ${shown}`, () => {
            expect(formatUsd(usd)).to.equal(shown);
        });
    }

    for (const [tokens, shown] of [
        [0, "0"],
        [999, "999"],
        [1_000, "1K"],
        [42_500, "42.5K"],
        [200_000, "200K"],
        [999_949, "999.9K"],
        [999_950, "1M"],
        [1_234_567, "1.2M"],
    ] as const) {
        it(`A number of ${tokens} tokens reads ${shown}`, () => {
            expect(formatTokens(tokens)).to.equal(shown);
        });
    }

    for (const [milliseconds, shown] of [
        [0, "0s"],
        [340, "0.3s"],
        [1_000, "1s"],
        [9_949, "9.9s"],
        [9_950, "10s"],
        [59_499, "59s"],
        [59_500, "1m 00s"],
        [125_000, "2m 05s"],
    ] as const) {
        it(`A duration of ${milliseconds} ms reads ${shown}`, () => {
            expect(formatDuration(milliseconds)).to.equal(shown);
        });
    }

    it("A duration below a tenth of a second is in milliseconds", () => {
        expect([0, 4.4, 40, 94, 95].map(formatDuration)).to.deep.equal([
            ...["0s", "4ms", "40ms", "94ms", "0.1s"],
        ]);
    });

    it("A running clock shows full seconds only", () => {
        expect([999, 1_900, 59_900, 61_999].map(formatElapsed)).to.deep.equal([
            ...["0s", "1s", "59s", "1m 01s"],
        ]);
    });

    it("A count comes with its noun in the singular or the plural", () => {
        expect(counted(1, "line")).to.equal("1 line");
        expect(counted(39_976, "line")).to.equal("39,976 lines");
        expect(counted(0, "line")).to.equal("0 lines");
        expect(counted(2, "entry", "entries")).to.equal("2 entries");
        expect(countedAtLeast(50, "file", { truncated: true })).to.equal("50 files+");
    });

    it("Large amounts are grouped by thousands", () => {
        expect([999, 1_234_567].map(formatInteger)).to.deep.equal(["999", "1,234,567"]);
    });

    it("A truncated text has at most so many characters, and none is cut in two", () => {
        expect(truncate("abc", 3)).to.equal("abc");
        expect(truncate("abcd", 3)).to.equal("ab…");
        expect(truncate("😀".repeat(3), 3)).to.equal("😀".repeat(3));
        expect(truncate("😀".repeat(4), 3)).to.equal("😀😀…");
        expect(truncate(`${"😀".repeat(3)}a`, 3)).to.equal("😀😀…");
    });
});
