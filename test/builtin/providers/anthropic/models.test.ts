import { expect } from "chai";
import { anthropic } from "../../../../src/builtin/providers/anthropic/index.js";
import { modelNamed } from "../support.js";

describe("Anthropic models", () => {
    it("Every model has a unique name", () => {
        const names = anthropic.models.flatMap(({ id, aliases }) => [id, ...aliases]);
        expect(names).to.deep.equal([...new Set(names)]);
    });

    it("Every model says where and when its prices were read", () => {
        for (const { id, prices } of anthropic.models) {
            expect(prices?.source, id).to.match(/^https:\/\/platform\.claude\.com\//);
            expect(prices?.asOf, id).to.match(/^\d{4}-\d\d-\d\d$/);
        }
    });

    it("Cache reads cost less than input, and cache writes more", () => {
        for (const { id, prices } of anthropic.models) {
            const { input = 0, output, cacheRead, cacheWrite, cacheWriteLong } = prices ?? {};
            expect(cacheRead, id).to.be.below(input);
            expect(cacheWrite, id).to.be.above(input);
            expect(cacheWriteLong, id).to.be.above(Number(cacheWrite));
            expect(output, id).to.be.above(input);
        }
    });

    it("A retired model resolves to one that is still served", () => {
        for (const { replacedBy } of anthropic.models) {
            if (replacedBy === undefined) continue;
            expect(modelNamed(replacedBy).replacedBy).to.equal(undefined);
        }
    });

    it("Every model that North has ever offered is listed", () => {
        const names = anthropic.models.flatMap(({ aliases }) => aliases);
        expect(names).to.include.members([
            ...["sonnet", "opus", "haiku", "sonnet-4", "opus-4", "opus-4-1"],
            ...["sonnet-4-5", "haiku-4-5", "opus-4-5"],
        ]);
    });

    it("A dated id is recognized", () => {
        const dated = anthropic.describe?.("claude-opus-5-5-20261224");
        expect(dated).to.deep.equal({
            ...modelNamed("claude-opus-5-5"),
            id: "claude-opus-5-5-20261224",
            aliases: [],
        });
        expect(anthropic.describe?.("claude-opus-4-5")?.id).to.equal("claude-opus-4-5-20251101");
    });

    it("Models up to 4.5 think within a budget, later ones adaptively with an effort", () => {
        const budgets = anthropic.models.flatMap(({ thinkingBudget }) => thinkingBudget ?? []);
        expect([...new Set(budgets)].sort()).to.deep.equal([10_000, 16_000, 5_000]);
        for (const { id, thinking, thinkingBudget, efforts } of anthropic.models) {
            const isOld = /-4(-[0-5])?(-\d{8})?$/.test(id);
            expect(thinking, id).to.equal(isOld ? "budget" : "adaptive");
            expect(thinkingBudget === undefined, id).to.equal(!isOld);
            const more = /-4-[78]$/.test(id) ? ["xhigh", "max"] : [];
            const all = ["low", "medium", "high", ...more];
            expect(efforts, id).to.deep.equal(isOld ? undefined : all);
        }
    });

    it("A model of a known family is described without a price", () => {
        const unknown = anthropic.describe?.("claude-sonnet-9");
        expect(unknown).to.include({ id: "claude-sonnet-9", thinking: "adaptive" });
        expect(unknown).to.not.have.property("prices");
    });

    it("A model of an unknown family is refused", () => {
        for (const id of ["gpt-5.1", "claude-3-opus-20240229", "claude", ""]) {
            expect(anthropic.describe?.(id), id).to.equal(undefined);
        }
    });
});
