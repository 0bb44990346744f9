import { expect } from "chai";
import type { ModelInfo, Provider } from "../../../src/plugin/index.js";
import { correctModels } from "../../../src/core/registry/correct-models.js";
import { resolveModel } from "../../../src/core/registry/models.js";

const known: ModelInfo = {
    id: "deep-1",
    aliases: ["deep"],
    displayName: "Deep 1",
    contextTokens: 1_000,
    maxOutputTokens: 100,
    prices: {
        input: 1,
        output: 2,
        cacheRead: 0.1,
        isUnconfirmed: true,
        asOf: "2026-01-01",
        source: "x",
    },
};

/** As a plugin may bring one: an object of a class. */
class Vendor implements Provider {
    readonly id = "vendor";
    readonly displayName = "Vendor";
    readonly models = [known];
    describe(id: string): ModelInfo | undefined {
        return id.startsWith("deep-") ? { ...known, id, aliases: [] } : undefined;
    }
    connect(): never {
        throw new Error("Not needed");
    }
}

const TODAY = Date.parse("2026-11-22T12:00:00Z");

function correct(...entries: unknown[]) {
    const providers = new Map([["vendor", { plugin: "p", value: new Vendor() }]]);
    const result = correctModels(providers, entries, TODAY);
    const all = [...result.providers.values()].map(({ value }) => value);
    return { ...result, find: (name: string) => resolveModel(name, all).model };
}

describe("Model corrections", () => {
    it("A correction changes the fields that it names and no other", () => {
        const change = { alias: "d", contextTokens: 2_000, prices: { output: 3 } };
        const { find, corrected, problems } = correct({
            provider: "vendor",
            id: "deep-1",
            ...change,
        });
        expect(find("d")).to.deep.equal({
            ...known,
            aliases: ["d", "deep"],
            contextTokens: 2_000,
            prices: {
                input: 1,
                output: 3,
                cacheRead: 0.1,
                asOf: "2026-11-22",
                source: "config.json",
            },
        });
        expect([...corrected]).to.deep.equal(["vendor/deep-1"]);
        expect(problems).to.deep.equal([]);
    });

    it("A correction adds a model, completed from its known family", () => {
        const limits = { contextTokens: 10, maxOutputTokens: 5 };
        const { find } = correct(
            { provider: "vendor", id: "wide-1", alias: "wide", ...limits },
            { provider: "vendor", id: "deep-2", contextTokens: 3_000 }
        );
        expect(find("wide")).to.deep.include({ id: "wide-1", ...limits });
        expect(find("deep-2")).to.deep.include({ contextTokens: 3_000, maxOutputTokens: 100 });
    });

    it("A new price takes effect on its date", () => {
        const priced = (from: string) =>
            correct({ provider: "vendor", id: "deep-1", prices: { input: 9, from } }).find("deep");
        expect(priced("2026-11-23").prices?.input).to.equal(1);
        expect(priced("2026-11-22").prices).to.include({ input: 9, asOf: "2026-11-22" });
    });

    it("An unreadable correction is dropped with a reason", () => {
        const right = { provider: "vendor", id: "deep-1", displayName: "Deeper" };
        const { problems, find } = correct(
            "deep-1",
            { ...right, contextTokens: "many" },
            { ...right, contxtTokens: 5 },
            { ...right, prices: { input: -1 } },
            { id: "deep-1" },
            { ...right, provider: "nobody" },
            { ...right, id: "wide-1" },
            right
        );
        expect(problems).to.have.lengthOf(7);
        expect(problems.join("\n"))
            .to.contain("models[1] was skipped: `contextTokens`")
            .and.contain("`contxtTokens`")
            .and.contain("`prices.input` must be a price")
            .and.contain("`provider`")
            .and.contain("no provider nobody")
            .and.contain("needs contextTokens");
        expect(find("deep").displayName).to.equal("Deeper");
    });
});
