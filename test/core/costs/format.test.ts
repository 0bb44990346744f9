import { expect } from "chai";
import { formatTokens, formatUsd } from "../../../src/base/format.js";

describe("a price for people", () => {
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
        [-0.12, "-$0.12"],
    ] as const) {
        it(`shows ${usd} as ${shown}`, () => {
            expect(formatUsd(usd)).to.equal(shown);
        });
    }
});

describe("a number of tokens for people", () => {
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
        it(`shows ${tokens} as ${shown}`, () => {
            expect(formatTokens(tokens)).to.equal(shown);
        });
    }
});
