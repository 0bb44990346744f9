import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import type { CostRow } from "../../../src/core/costs/ledger.js";
import { costReport, costTable } from "../../../src/host/costs/cost-report.js";
import { createLedger } from "../../../src/storage/costs/ledger.js";
import { modelInfo } from "../../helpers/slash-session.js";

function row(key: string, costUsd: number, unpricedRequests = 0): CostRow {
    const tokens = { inputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 1 };
    return { key, costUsd, requests: 1, unpricedRequests, unconfirmedRequests: 0, ...tokens };
}

describe("Cost table", () => {
    const rows = [row("dear", 4), row("half", 2), row("cheap", 0.001), row("unknown", 0, 1)];
    const counts = { unpricedRequests: 1, unconfirmedRequests: 0 };
    const report = { by: "model", rows, totalUsd: 6.001, ...counts } as const;

    it("In a terminal each row has a bar in proportion to the highest cost", () => {
        const lines = costTable(report, 100).split("\n");
        const bars = lines.slice(1, 5).map((line) => line.split("█").length - 1);
        expect(bars).to.deep.equal([20, 10, 1, 0]);
        expect(lines[5]).to.equal("Total $6.00");
    });

    it("A bar takes only the room that the terminal has, and no bar is drawn without any", () => {
        const plain = costTable(report).split("\n")[1]!.length;
        const barsAt = (width: number) => costTable(report, width).split("█").length - 1;
        expect(costTable(report, plain + 12).split("\n")[1]).to.have.length(plain + 12);
        expect(barsAt(plain + 12)).to.equal(10 + 5 + 1);
        expect(barsAt(plain + 4)).to.equal(0);
    });

    it("Requests without a known price are counted beside the total", () => {
        const tail = (unpricedRequests: number) =>
            costTable({ ...report, unpricedRequests })
                .split("\n")
                .at(-1);
        expect(tail(1)).to.equal("1 request not included: the price of the model is unknown.");
        expect(tail(2)).to.equal("2 requests not included: the price of the model is unknown.");
    });

    it("Outside a terminal there are no bars", () => {
        expect(costTable(report)).not.to.contain("█");
    });

    it("Unconfirmed prices are marked", () => {
        const [dear, half, ...others] = rows.map((each, index) => ({
            ...each,
            unconfirmedRequests: index < 2 ? 1 : 0,
        }));
        const unsure = { ...report, rows: [dear!, half!, ...others], unconfirmedRequests: 2 };
        const lines = costTable(unsure).split("\n");
        expect(lines.at(-1)).to.equal("Price unconfirmed: dear, half.");
        expect(costTable(report)).not.to.contain("unconfirmed");
    });

    it("The table may be empty", () => {
        const empty = { ...report, rows: [], totalUsd: 0, unpricedRequests: 0 };
        expect(costTable(empty, 100)).to.equal("Total $0.00");
    });
});

describe("Costs at another model's prices", () => {
    it("Requests with searches at an unknown price are left out of the total, and North says so", async () => {
        const folder = await mkdtemp(path.join(tmpdir(), "north-costs-"));
        const ledger = createLedger({ dataFolder: folder });
        for (const webSearches of [0, 2]) {
            ledger.record({
                at: Date.now(),
                conversationId: "aaaaaa",
                project: "/repository",
                provider: "anthropic",
                model: "sonnet",
                usage: { inputTokens: 1_000_000, webSearches },
                costUsd: 3,
            });
        }
        const prices = { input: 2, output: 2, asOf: "2026-11-27", source: "https://a.example" };
        const as = modelInfo("finder", "finder", { prices, webSearch: true });
        const report = await costReport(folder, { by: "model", since: undefined, as });
        expect(report.as).to.deep.include({ totalUsd: 2, unpricedRequests: 1 });
        const lines = costTable(report).split("\n");
        expect(lines[1]).to.match(/\$6\.00 +\$2\.00 \+ unknown$/);
        expect(lines.at(-1)).to.equal(
            "1 request not included for finder: the price of its web searches is unknown."
        );
        await rm(folder, { recursive: true });
    });
});
