import { expect } from "chai";
import fc from "fast-check";
import { priceOf, promptTokens } from "../../../src/core/costs/price.js";
import type { ModelInfo, Prices, Usage } from "../../../src/plugin/index.js";

const read = { asOf: "2026-11-22", source: "https://example.org/prices" };

function modelWith(prices?: Prices): ModelInfo {
    return {
        id: "m",
        aliases: [],
        displayName: "M",
        contextTokens: 1_000,
        maxOutputTokens: 100,
        prices,
    };
}

const full: Prices = {
    input: 2,
    output: 10,
    cacheRead: 0.1,
    cacheWrite: 2.5,
    cacheWriteLong: 4,
    ...read,
};

describe("The price of a request", () => {
    it("A request's price is unknown when the model's prices are", () => {
        expect(priceOf({ inputTokens: 5 }, modelWith())).to.equal(null);
    });

    it("A free model's request costs zero", () => {
        const free = modelWith({ input: 0, output: 0, ...read });
        expect(priceOf({ inputTokens: 5, outputTokens: 5 }, free)).to.equal(0);
    });

    it("A price adds up every kind of token", () => {
        const usage: Usage = {
            inputTokens: 1_000_000,
            outputTokens: 2_000_000,
            cacheReadTokens: 3_000_000,
            cacheWriteTokens: 4_000_000,
            cacheWriteLongTokens: 5_000_000,
        };
        expect(priceOf(usage, modelWith(full))).to.be.closeTo(2 + 20 + 0.3 + 10 + 20, 1e-9);
    });

    it("A missing cache price falls back to the next dearer kind", () => {
        const usage: Usage = {
            cacheReadTokens: 1_000_000,
            cacheWriteTokens: 1_000_000,
            cacheWriteLongTokens: 1_000_000,
        };
        expect(priceOf(usage, modelWith({ input: 3, output: 9, ...read }))).to.equal(9);
        const some = modelWith({ input: 3, output: 9, cacheWrite: 5, ...read });
        expect(priceOf(usage, some)).to.equal(3 + 5 + 5);
    });

    it("The price band of the whole prompt applies to every token of the request", () => {
        const banded = modelWith({
            ...full,
            above: { promptTokens: 100, prices: { input: 20, output: 100, ...read } },
        });
        const at = { inputTokens: 40, cacheReadTokens: 60, outputTokens: 1_000 };
        expect(priceOf(at, banded)).to.be.closeTo((80 + 6 + 10_000) / 1e6, 1e-12);
        const above = { ...at, inputTokens: 41 };
        expect(priceOf(above, banded)).to.be.closeTo((820 + 1_200 + 100_000) / 1e6, 1e-12);
    });

    it("A price never falls as tokens are added", () => {
        const count = fc.nat({ max: 2_000_000 });
        const usage = fc.record({
            inputTokens: count,
            outputTokens: count,
            cacheReadTokens: count,
            cacheWriteTokens: count,
            cacheWriteLongTokens: count,
        });
        fc.assert(
            fc.property(usage, fc.constantFrom(...Object.keys(full)), count, (base, _key, more) => {
                const model = modelWith(full);
                const dearer = { ...base, outputTokens: base.outputTokens + more };
                expect(priceOf(dearer, model)).to.be.at.least(Number(priceOf(base, model)));
                expect(promptTokens(dearer)).to.equal(promptTokens(base));
            })
        );
    });
});
