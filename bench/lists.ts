import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { CostRecord } from "../src/core/costs/ledger.js";
import { createConversationStore } from "../src/storage/conversations/conversations.js";
import { cleanEnvironment, median, program, wallTime, type BenchRow } from "./measure.js";
import { recordsOf } from "./resume.js";

const CONVERSATIONS = 5_000;
const TURNS = 8;
const COSTS = 1_000_000;
const LINES_AT_ONCE = 10_000;

/** Total time of lists, including North's start, for a home used for years. */
export async function listRows(): Promise<BenchRow[]> {
    const home = mkdtempSync(path.join(tmpdir(), "north-bench-"));
    const data = path.join(home, ".north");
    const time = (...words: string[]) =>
        wallTime(process.execPath, [program, ...words, "--json"], {
            cwd: home,
            env: cleanEnvironment(home),
        });
    const warm = async (...words: string[]) => {
        const times: number[] = [];
        for (let run = 0; run < 5; run += 1) times.push(await time(...words));
        return median(times);
    };
    try {
        await makeConversations(data);
        makeCosts(data);
        return [
            row("list of 5,000 conversations, no index", await time("conversations"), 4_000),
            row("list of 5,000 conversations", await warm("conversations"), 300),
            row("costs of 1,000,000 requests, no summary", await time("costs"), Infinity),
            row("costs of 1,000,000 requests", await warm("costs"), 1_000),
        ];
    } finally {
        rmSync(home, { recursive: true, force: true });
    }
}

async function makeConversations(data: string): Promise<void> {
    const store = createConversationStore(data);
    const turns = Array.from({ length: TURNS }, (_, turn) => recordsOf(turn)).flat();
    for (let index = 0; index < CONVERSATIONS; index += 1) {
        const id = index.toString(16).padStart(6, "0");
        const { journal } = await store.start({ id, root: data, provider: "p", model: "m" });
        for (const record of turns) journal.append(record);
        await journal.close();
    }
    rmSync(path.join(data, "conversations/index.json"), { force: true });
}

function makeCosts(data: string): void {
    mkdirSync(data, { recursive: true });
    const line = (index: number) => {
        const cost: CostRecord = {
            at: Date.UTC(2026, 0, 1) + index * 20_000,
            conversationId: (index % CONVERSATIONS).toString(16).padStart(6, "0"),
            project: `/home/someone/project-${index % 7}`,
            provider: "anthropic",
            model: "claude-sonnet-5-5",
            usage: {
                inputTokens: 10,
                cacheReadTokens: 20_000,
                cacheWriteTokens: 500,
                cacheWriteLongTokens: 0,
                outputTokens: 400,
            },
            costUsd: 0.0139,
        };
        return `${JSON.stringify(cost)}\n`;
    };
    for (let from = 0; from < COSTS; from += LINES_AT_ONCE) {
        const lines = Array.from({ length: LINES_AT_ONCE }, (_, index) => line(from + index));
        writeFileSync(path.join(data, "costs.jsonl"), lines.join(""), { flag: "a" });
    }
}

function row(what: string, milliseconds: number, bound: number): BenchRow {
    return {
        what,
        value: `${(milliseconds / 1_000).toFixed(2)} s`,
        bound: bound === Infinity ? "none" : `${bound / 1_000} s`,
        ok: milliseconds <= bound,
    };
}
