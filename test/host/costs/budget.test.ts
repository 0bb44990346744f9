import * as fs from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import type { BudgetVerdict } from "../../../src/core/costs/budget.js";
import { createBudget } from "../../../src/host/costs/budget.js";
import type { BudgetSettings } from "../../../src/storage/config.js";
import { createLedger } from "../../../src/storage/costs/ledger.js";
import { scriptedModelInfo } from "../../helpers/scripted-model.js";
import { costRecord } from "../../storage/samples.js";

const TODAY = new Date(2026, 10, 22, 12).getTime();
const YESTERDAY = new Date(2026, 10, 21, 23, 59).getTime();
const { prices: _prices, ...UNPRICED } = scriptedModelInfo;

describe("Budgets", () => {
    let dataFolder: string;

    beforeEach(() => {
        dataFolder = fs.mkdtempSync(path.join(tmpdir(), "north-budget-"));
    });
    afterEach(() => fs.rmSync(dataFolder, { recursive: true, force: true }));

    const spend = (costUsd: number | null, changes = {}) =>
        createLedger({ dataFolder }).record(costRecord({ at: TODAY, costUsd, ...changes }));

    function budget(settings: BudgetSettings, hasRunLimit = false) {
        const made = createBudget({
            settings,
            hasRunLimit,
            dataFolder,
            configFile: "/config/config.json",
            conversationId: () => "abc123",
            now: () => TODAY,
        });
        return made ?? expect.fail("There is no budget.");
    }

    function spent(verdict: BudgetVerdict) {
        return verdict.kind === "spent" ? verdict : expect.fail("It is not spent.");
    }

    it("Without limits there is no budget", () => {
        const settings = {};
        const options = { settings, hasRunLimit: false, dataFolder, configFile: "" };
        const none = createBudget({ ...options, conversationId: () => "", now: () => TODAY });
        expect(none).to.equal(undefined);
    });

    it("Requests that ask at once count each cost once", async () => {
        const both = budget({ perConversationUsd: 1, perDayUsd: 1 });
        const ask = () => both.check(scriptedModelInfo);
        expect(await ask()).to.deep.equal({ kind: "within" });
        spend(0.4);
        const verdicts = await Promise.all([ask(), ask(), ask(), ask()]);
        expect(verdicts.map(({ kind }) => kind)).to.deep.equal(Array(4).fill("within"));
        expect(await ask()).to.deep.equal({ kind: "within" });
        spend(0.6);
        const { sentence } = spent(await ask());
        expect(sentence).to.include("has cost $1.00");
    });

    it("A conversation's budget counts that conversation on all days", async () => {
        const one = budget({ perConversationUsd: 1 });
        spend(0.4, { at: YESTERDAY });
        spend(50, { conversationId: "other0" });
        expect(await one.check(scriptedModelInfo)).to.deep.equal({ kind: "within" });
        spend(0.6);
        const { sentence, nextSteps } = spent(await one.check(scriptedModelInfo));
        expect(sentence).to.equal(
            "The conversation budget of $1.00 is spent: this conversation has cost $1.00."
        );
        expect(nextSteps).to.deep.equal([
            "`budget.perConversationUsd` in /config/config.json sets it.",
        ]);
    });

    it("A day's budget counts all conversations of that day, also of other Norths", async () => {
        const one = budget({ perDayUsd: 1 });
        spend(50, { at: YESTERDAY });
        spend(0.7, { conversationId: "other0", project: "/elsewhere" });
        expect((await one.check(scriptedModelInfo)).kind).to.equal("within");
        spend(0.7);
        expect(spent(await one.check(scriptedModelInfo)).sentence).to.equal(
            "The daily budget of $1.00 is spent: today has cost $1.40."
        );
    });

    it("An exceeded budget asks again only after as much again is spent", async () => {
        const one = budget({ perDayUsd: 1 });
        spend(2.5);
        spent(await one.check(scriptedModelInfo)).raiseLimit();
        spend(0.9);
        expect((await one.check(scriptedModelInfo)).kind).to.equal("within");
        spend(0.1);
        expect((await one.check(scriptedModelInfo)).kind).to.equal("spent");
    });

    it("A reset of the costs resets the budget", async () => {
        const one = budget({ perDayUsd: 1 });
        spend(2);
        expect((await one.check(scriptedModelInfo)).kind).to.equal("spent");
        await createLedger({ dataFolder }).reset();
        expect((await one.check(scriptedModelInfo)).kind).to.equal("within");
    });

    for (const [name, settings, hasRunLimit] of [
        ["a budget", { perDayUsd: 1 }, false],
        ["a limit of this run", {}, true],
    ] as const) {
        it(`An unknown price is warned about once, with ${name}`, async () => {
            const one = budget(settings, hasRunLimit);
            spend(null);
            expect(await one.check(UNPRICED)).to.deep.equal({
                kind: "within",
                notice: "The price of Scripted is unknown, so no budget counts it.",
            });
            expect(await one.check(UNPRICED)).to.deep.equal({ kind: "within" });
            expect(await one.check(scriptedModelInfo)).to.deep.equal({ kind: "within" });
        });
    }
});
