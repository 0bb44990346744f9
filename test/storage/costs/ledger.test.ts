import { expect } from "chai";
import {
    appendFileSync,
    existsSync,
    readdirSync,
    readFileSync,
    truncateSync,
    writeFileSync,
} from "node:fs";
import path from "node:path";
import type { Ledger } from "../../../src/core/costs/ledger.js";
import { createLedger } from "../../../src/storage/costs/ledger.js";
import { runChildren, startChild } from "../children.js";
import { expectError } from "../expect-error.js";
import { withReadOnlyFolder } from "../ordinary-user.js";
import { costRecord } from "../samples.js";
import { temporaryFolder } from "../temporary-folder.js";

describe("Ledger", () => {
    const folder = temporaryFolder();
    const inFolder = (name: string) => path.join(folder(), name);
    const summary = () => JSON.parse(readFileSync(inFolder("costs.json"), "utf8"));
    let warnings: string[] = [];
    let ledger: Ledger;
    beforeEach(() => {
        warnings = [];
        ledger = createLedger({
            dataFolder: folder(),
            report: (warning) => warnings.push(warning),
            now: () => 1234,
        });
    });

    it("A new ledger is empty", async () => {
        expect((await ledger.allTime()).costUsd).to.equal(0);
        expect(await ledger.query({ by: "model" })).to.deep.equal([]);
        await ledger.reset();
        await ledger.summarize();
        expect(summary()).to.deep.include({ allTimeCostUsd: 0, byModel: {}, days: {} });
    });

    it("Sums are free of binary rounding drift", async () => {
        for (let time = 0; time < 1000; time += 1) ledger.record(costRecord({ costUsd: 0.1 }));
        expect((await ledger.allTime()).costUsd).to.equal(100);
        await ledger.summarize();
        expect(summary().allTimeCostUsd).to.equal(100);
    });

    it("The summary by model, day and project is written and extended by later requests", async () => {
        const usage = { inputTokens: 1, cacheReadTokens: 2, cacheWriteTokens: 3, outputTokens: 4 };
        ledger.record(costRecord({ usage: { ...usage, cacheWriteLongTokens: 5 }, costUsd: 1 }));
        await ledger.summarize();
        const once = {
            costUsd: 1,
            requests: 1,
            unpricedRequests: 0,
            unconfirmedRequests: 0,
            inputTokens: 1,
            cacheReadTokens: 2,
            cacheWriteTokens: 8,
            outputTokens: 4,
        };
        expect(summary()).to.deep.include({
            allTimeCostUsd: 1,
            byModel: { "claude-sonnet-5-5": once },
            lastUpdated: 1234,
            days: { "2026-11-22": { "/work/project": { "claude-sonnet-5-5": once } } },
        });
        ledger.record(costRecord({ usage, costUsd: null }));
        ledger.record(costRecord({ usage: {}, costUsd: 2, isUnconfirmed: true }));
        expect(await ledger.allTime()).to.deep.equal({ costUsd: 3, unpricedRequests: 1 });
        await ledger.summarize();
        expect(summary().byModel["claude-sonnet-5-5"]).to.deep.include({
            costUsd: 3,
            requests: 3,
            unpricedRequests: 1,
            unconfirmedRequests: 1,
            cacheWriteTokens: 11,
        });
    });

    it("Costs are grouped by model, provider, project and day, for a period or a conversation", async () => {
        const yesterday = new Date(2026, 10, 21, 12).getTime();
        ledger.record(costRecord({ costUsd: 1, at: yesterday }));
        ledger.record(costRecord({ costUsd: 2, provider: "other" }));
        ledger.record(costRecord({ costUsd: 4, model: "small", conversationId: "def456" }));
        const answer = async (query: Parameters<Ledger["query"]>[0]) =>
            (await ledger.query(query)).map(({ key, costUsd }) => [key, costUsd]);
        expect(await answer({ by: "model" })).to.deep.equal([
            ["small", 4],
            ["claude-sonnet-5-5", 2],
            ["claude-sonnet-5-5", 1],
        ]);
        expect(await answer({ by: "provider" })).to.deep.equal([
            ["anthropic", 5],
            ["other", 2],
        ]);
        expect(await answer({ by: "project" })).to.deep.equal([["/work/project", 7]]);
        expect(await answer({ by: "day" })).to.deep.equal([
            ["2026-11-21", 1],
            ["2026-11-22", 6],
        ]);
        expect(await answer({ by: "month" })).to.deep.equal([["2026-11", 7]]);
        expect(await answer({ by: "project", since: yesterday + 1 })).to.deep.equal([
            ["/work/project", 6],
        ]);
        expect(await answer({ by: "project", conversationIds: ["def456"] })).to.deep.equal([
            ["/work/project", 4],
        ]);
    });

    it("By reason only what lost caches have cost is counted, with the tokens that were billed again", async () => {
        const lost = (reason: string, costUsd: number) => ({
            costUsd: 5,
            cacheLoss: { reason, tokens: 1_000, costUsd },
        });
        ledger.record(costRecord({ costUsd: 1 }));
        ledger.record(costRecord(lost("summary", 0.5)));
        ledger.record(costRecord({ ...lost("paused", 2), conversationId: "def456" }));
        ledger.record(costRecord(lost("summary", 0.25)));
        await ledger.summarize();
        const answer = async (query: object) =>
            (await ledger.query({ by: "reason", ...query })).map(
                ({ key, costUsd, requests, inputTokens }) => [key, costUsd, requests, inputTokens]
            );
        expect(await answer({})).to.deep.equal([
            ["paused", 2, 1, 1_000],
            ["summary", 0.75, 2, 2_000],
        ]);
        expect(await answer({ conversationIds: ["def456"] })).to.deep.equal([
            ["paused", 2, 1, 1_000],
        ]);
        expect(await ledger.query({ by: "model" })).to.have.nested.property("[0].costUsd", 16);
    });

    it("Days that are in the summary are not read again", async () => {
        const at = (day: number, hour: number) => new Date(2026, 10, day, hour).getTime();
        for (const day of [20, 21, 22]) {
            for (const hour of [9, 15]) {
                ledger.record(costRecord({ costUsd: 1, at: at(day, hour), provider: `of ${day}` }));
            }
        }
        await ledger.summarize();
        const log = readFileSync(inFolder("costs.jsonl"), "utf8");
        const wiped = log
            .split("\n")
            .map((line, index) => (index < 2 ? "x".repeat(line.length) : line));
        writeFileSync(inFolder("costs.jsonl"), wiped.join("\n"));
        ledger.record(costRecord({ costUsd: 10, at: at(22, 16) }));
        const sums = async (since?: number) => {
            const rows = await ledger.query({ by: "day", ...(since && { since }) });
            return rows.map(({ key, costUsd }) => `${key.slice(-2)}: ${costUsd}`);
        };
        expect(await sums()).to.deep.equal(["20: 2", "21: 2", "22: 12"]);
        expect(await sums(at(21, 12))).to.deep.equal(["21: 1", "22: 12"]);
        expect(await ledger.query({ by: "provider" })).to.have.length(4);
        expect(warnings).to.deep.equal([]);
    });

    it("Damaged lines are counted and reported, and no other line is lost", async () => {
        ledger.record(costRecord({ costUsd: 1 }));
        appendFileSync(inFolder("costs.jsonl"), '{"at": 1}\n{"costUsd": "free"}\n{"torn');
        ledger.record(costRecord({ costUsd: 2 }));
        expect((await ledger.allTime()).costUsd).to.equal(3);
        expect(await ledger.query({ by: "project" })).to.have.length(1);
        expect(warnings.join()).to.contain("3 lines");
        await ledger.summarize();
        expect(summary()).to.deep.include({ allTimeCostUsd: 3, damagedLines: 3 });
    });

    it("A damaged summary is rebuilt from the log and set aside", async () => {
        ledger.record(costRecord({ costUsd: 1 }));
        const foreign = '{"allTimeCostUsd":5,"byModel":{},"lastUpdated":1}';
        for (const content of ['{"allTimeC', foreign]) {
            writeFileSync(inFolder("costs.json"), content);
            expect((await ledger.allTime()).costUsd).to.equal(1);
            await ledger.summarize();
            expect(summary().allTimeCostUsd).to.equal(1);
        }
        const aside = readdirSync(folder()).filter((name) => name.includes(".corrupt-"));
        expect(aside).to.have.length(2);
        expect(warnings).to.have.length(2);
    });

    it("A summary that covers more than the log is not trusted", async () => {
        for (const costUsd of [1, 2]) ledger.record(costRecord({ costUsd }));
        await ledger.summarize();
        const firstLine = readFileSync(inFolder("costs.jsonl"), "utf8").indexOf("\n") + 1;
        truncateSync(inFolder("costs.jsonl"), firstLine);
        expect((await ledger.allTime()).costUsd).to.equal(1);
    });

    it("A reset moves all cost records aside", async () => {
        ledger.record(costRecord({ costUsd: 1 }));
        await ledger.summarize();
        await ledger.reset();
        expect((await ledger.allTime()).costUsd).to.equal(0);
        expect(existsSync(inFolder("costs.json"))).to.equal(false);
        const aside = readdirSync(folder()).filter((name) => name.includes(".reset-"));
        expect(aside).to.have.length(2);
        ledger.record(costRecord({ costUsd: 2 }));
        expect((await ledger.allTime()).costUsd).to.equal(2);
    });

    it("A ledger that cannot be written says so", async () => {
        await withReadOnlyFolder(folder(), async () => {
            await expectError(() => ledger.record(costRecord()), "not-writable");
            await expectError(() => ledger.summarize(), "not-writable");
        });
    });

    it("Eight processes lose nothing while others are killed", async () => {
        const task = { do: "record-costs", dataFolder: folder() } as const;
        const victims = [30, 49, 70].map(async (moment, index) => {
            const child = startChild({ ...task, name: `victim ${index}`, times: 100_000 });
            await child.said(moment);
            await child.kill();
            return child.lines.length;
        });
        const names = Array.from({ length: 8 }, (_, index) => `survivor ${index}`);
        await runChildren(names.map((name) => ({ ...task, name, times: 200 })));
        const told = await Promise.all(victims);
        await ledger.summarize();

        // A process that sees half of another's line begins with a newline, to be safe.
        const lines = readFileSync(inFolder("costs.jsonl"), "utf8").split(/\n+/).slice(0, -1);
        for (const name of names) {
            const [row] = await ledger.query({ by: "project", conversationIds: [name] });
            expect(row).to.deep.include({ requests: 200, costUsd: 0.02 });
        }
        for (const [index, count] of told.entries()) {
            const query = { by: "project", conversationIds: [`victim ${index}`] } as const;
            const [row] = await ledger.query(query);
            // What it was killed in the middle of telling is in the log too.
            expect(row?.requests).to.be.within(count, count + 1);
        }
        expect(summary().total.requests).to.equal(lines.length);
        expect(summary().allTimeCostUsd).to.equal((lines.length * 1000) / 1e7);
        expect(summary().damagedLines).to.equal(0);
        const left = readdirSync(folder()).filter((name) => !/^costs\.jsonl?$/.test(name));
        expect(left).to.deep.equal([]);
    });
});
