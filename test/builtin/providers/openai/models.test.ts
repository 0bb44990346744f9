import { expect } from "chai";
import { billOf } from "../../../../src/core/costs/price.js";
import { openai } from "../../../../src/builtin/providers/openai/index.js";

const named = (id: string) => openai.models.find((model) => model.id === id);

describe("OpenAI models", () => {
    it("Every model has a unique name", () => {
        const names = openai.models.flatMap(({ id, aliases }) => [id, ...aliases]);
        expect(names).to.deep.equal([...new Set(names)]);
    });

    it("Every price says where and when it was read", () => {
        for (const { id, prices } of openai.models) {
            if (prices === undefined) continue;
            expect(prices.source, id).to.equal(
                `https://developers.openai.com/api/docs/models/${id}`
            );
            expect(prices.asOf, id).to.match(/^\d{4}-\d\d-\d\d$/);
        }
    });

    it("Cache reads cost less than input, and cache writes never less", () => {
        for (const { id, prices } of openai.models) {
            for (const level of [prices, prices?.above?.prices]) {
                if (level === undefined) continue;
                expect(level.cacheRead, id).to.be.below(level.input);
                expect(level.cacheWrite, id).to.be.at.least(level.input);
                expect(level.output, id).to.be.above(level.input);
            }
        }
    });

    it("A bill at an unconfirmed price says so, however long the prompt was", () => {
        for (const model of openai.models) {
            if (!model.prices?.isUnconfirmed) continue;
            for (const inputTokens of [1_000, 500_000]) {
                const bill = billOf({ inputTokens }, model);
                expect(bill, model.id).to.have.property("isUnconfirmed", true);
            }
        }
    });

    it("A retired model resolves to one that is still served", () => {
        for (const { id, replacedBy } of openai.models) {
            if (replacedBy === undefined) continue;
            expect(named(replacedBy), id).to.not.equal(undefined);
            expect(named(replacedBy)?.replacedBy, id).to.equal(undefined);
        }
    });

    it("Every model that North has ever offered is listed at the same price", () => {
        const offered: readonly (readonly [string, number, number, number])[] = [
            ["gpt-5.1", 1.25, 10, 0.125],
            ["gpt-5.1-codex", 1.25, 10, 0.125],
            ["gpt-5.1-codex-mini", 0.25, 2, 0.025],
            ["gpt-5.1-codex-max", 1.25, 10, 0.125],
            ["gpt-5", 1.25, 10, 0.125],
            ["gpt-5-mini", 0.25, 2, 0.025],
            ["gpt-5-nano", 0.05, 0.4, 0.005],
        ];
        for (const [id, input, output, cacheRead] of offered) {
            expect(named(id)?.prices, id).to.include({ input, output, cacheRead });
        }
    });

    it("A dated id is recognized", () => {
        expect(openai.describe?.("gpt-5.1-2025-11-13")).to.deep.equal({
            ...named("gpt-5.1"),
            id: "gpt-5.1-2025-11-13",
            aliases: [],
        });
    });

    for (const [id, thinking] of [
        ["gpt-7.1-sol", "adaptive"],
        ["gpt-5.5", "adaptive"],
        ["o4-mini", "adaptive"],
        ["gpt-4.1", undefined],
        ["gpt-4o-mini", undefined],
        ["gpt-5.3-chat-latest", undefined],
    ] as const) {
        it(`A model of a known family is described without a price (${id})`, () => {
            const described = openai.describe?.(id);
            expect(described).to.include({ id, images: true });
            expect(described?.thinking).to.equal(thinking);
            expect(described).to.not.have.property("prices");
        });
    }

    it("A model of an unknown family is refused", () => {
        for (const id of ["claude-sonnet-5-5", "gpt-oss:20b", "gpt", "ollama", "o", "llama3"]) {
            expect(openai.describe?.(id), id).to.equal(undefined);
        }
    });
});
