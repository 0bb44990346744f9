import { spawn } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import * as chat from "../test/helpers/vendors/chat-completions-server.js";
import * as messages from "../test/helpers/vendors/messages-server.js";
import { STEP_TOKENS } from "../test/helpers/vendors/prefix-cache.js";
import * as responses from "../test/helpers/vendors/responses-server.js";
import { counted } from "../src/base/format.js";
import { anthropicModels } from "../src/builtin/providers/anthropic/models.js";
import { openaiModels } from "../src/builtin/providers/openai/models.js";
import { priceOf } from "../src/core/costs/price.js";
import type { ModelInfo, Usage } from "../src/plugin/index.js";
import { cleanEnvironment, ended, program, root, type BenchRow } from "./measure.js";

/** Replies with calls; one more request is for the answer. */
const REPLIES = 12;
const CALLS = [1, 5, 15, 30];
const BOUND = 1.03;
const LINES_A_CALL = 16;
const MAX_CALLS = REPLIES * Math.max(...CALLS);

/** What the built program reports at the end: the vendor's counts as it read them. */
interface Result {
    readonly usage: Usage;
}

/** A server imitating a vendor and its prompt cache, and how to point the program to it. */
interface Vendor {
    readonly name: string;
    readonly url: string;
    readonly environment: Readonly<Record<string, string>>;
    readonly model: string;
    /** Its price list; for a self-hosted server OpenAI's, where cache reads cost a tenth. */
    readonly priced: ModelInfo;
    /** Tokens of each request so far. */
    promptTokens(): readonly number[];
    /** How much of a request its cache can hold. */
    cacheable(tokens: number): number;
    close(): Promise<void>;
}

/** Input cost by the program's own account, relative to an ideal cache. */
export async function promptCacheRows(): Promise<BenchRow[]> {
    const rows: BenchRow[] = [];
    for (const start of [startAnthropic, startOpenai, startCompatible]) {
        for (const calls of CALLS) {
            const vendor = await start(calls);
            try {
                rows.push(costRow(vendor, calls, await converse(vendor)));
            } finally {
                await vendor.close();
            }
        }
    }
    return rows;
}

function costRow(vendor: Vendor, calls: number, { usage }: Result): BenchRow {
    const billed = costOf({ ...usage, outputTokens: 0 }, vendor);
    const ratio = billed / idealCost(vendor);
    return {
        what: `input over an ideal cache, ${counted(calls, "call")} a reply (${vendor.name})`,
        value: `${ratio.toFixed(3)} x`,
        bound: `${BOUND} x`,
        ok: ratio <= BOUND,
    };
}

/** Each request reads all that the previous one could have cached, and writes the rest. */
function idealCost(vendor: Vendor): number {
    const writes = vendor.priced.prices?.cacheWrite !== undefined;
    let before = 0;
    let sum = 0;
    for (const tokens of vendor.promptTokens()) {
        const fresh = tokens - before;
        const kind = writes ? { cacheWriteTokens: fresh } : { inputTokens: fresh };
        sum += costOf({ cacheReadTokens: before, ...kind }, vendor);
        before = vendor.cacheable(tokens);
    }
    return sum;
}

function costOf(usage: Usage, { priced }: Vendor): number {
    const cost = priceOf(usage, priced);
    if (cost === null) throw new Error(`${priced.id} has no price`);
    return cost;
}

function pricedModel(models: readonly ModelInfo[], id: string): ModelInfo {
    const found = models.find((model) => model.id === id);
    if (!found) throw new Error(`No model ${id}`);
    return found;
}

/** Runs the built program through the turns. */
async function converse({ url, environment, model }: Vendor): Promise<Result> {
    const home = mkdtempSync(path.join(tmpdir(), "north-bench-"));
    try {
        const line = "sixty-three characters and a line feed make up one such line..\n";
        writeFileSync(path.join(home, "data.txt"), line.repeat(MAX_CALLS + LINES_A_CALL));
        // Files that most projects have, sent with every request.
        copyFileSync(path.join(root, "README.md"), path.join(home, "README.md"));
        copyFileSync(path.join(root, "CONTRIBUTING.md"), path.join(home, "AGENTS.md"));
        const folder = path.join(home, ".config", "north");
        mkdirSync(folder, { recursive: true });
        const house = { keyVariable: "HOUSE_KEY", models: ["llama3"], contextTokens: 1_000_000 };
        const providers = { house: { baseURL: url, ...house } };
        writeFileSync(path.join(folder, "config.json"), JSON.stringify({ providers }));
        const words = ["-p", "go", "--model", model, "--output-format", "json"];
        const child = spawn(process.execPath, [program, ...words], {
            cwd: home,
            env: cleanEnvironment(home, environment),
            stdio: ["ignore", "pipe", "inherit"],
        });
        let output = "";
        child.stdout.setEncoding("utf8").on("data", (said: string) => (output += said));
        if ((await ended(child)) !== 0) throw new Error(`The program failed: ${output}`);
        return JSON.parse(output);
    } finally {
        rmSync(home, { recursive: true, force: true });
    }
}

/** Scripts replies with `calls` calls each, and an end. */
function replies<Block, Reply>(
    calls: number,
    call: (id: string, index: number, input: object) => Block,
    reply: (...blocks: Block[]) => Reply,
    end: Reply
): Reply[] {
    const script = Array.from({ length: REPLIES }, (_, turn) =>
        reply(
            ...Array.from({ length: calls }, (_each, index) => {
                // All different: repeated calls would be detected as a loop.
                const start = turn * calls + index + 1;
                const range = { start, end: start + LINES_A_CALL - 1 };
                return call(`c${turn}_${index}`, index, { path: "data.txt", range });
            })
        )
    );
    return [...script, end];
}

async function startAnthropic(calls: number): Promise<Vendor> {
    const { reply, text, toolUse } = messages;
    const call = (id: string, _index: number, input: object) => toolUse(id, "read_file", input);
    const server = await messages.startMessagesServer({
        simulateCache: true,
        script: replies(calls, call, reply, reply(text("Done."))),
    });
    return {
        ...server,
        name: "Anthropic",
        promptTokens: () =>
            server.counts.map(
                (each) =>
                    each.input_tokens +
                    each.cache_read_input_tokens +
                    each.cache_creation_input_tokens
            ),
        cacheable: (tokens) => tokens,
        environment: { ANTHROPIC_API_KEY: "sk-bench", ANTHROPIC_BASE_URL: server.url },
        model: "sonnet",
        priced: pricedModel(anthropicModels, "claude-sonnet-5-5"),
    };
}

async function startOpenai(calls: number): Promise<Vendor> {
    const { functionCall, reply, text } = responses;
    const call = (id: string, _index: number, input: object) =>
        functionCall(id, "read_file", input);
    const server = await responses.startResponsesServer({
        simulateCache: true,
        script: replies(calls, call, reply, reply(text("Done."))),
    });
    return {
        ...server,
        name: "OpenAI",
        promptTokens: () => server.counts.map(({ promptTokens }) => promptTokens),
        cacheable: wholeSteps,
        environment: { OPENAI_API_KEY: "sk-bench", OPENAI_BASE_URL: server.url },
        model: "gpt-5.1",
        priced: pricedModel(openaiModels, "gpt-5.1"),
    };
}

async function startCompatible(calls: number): Promise<Vendor> {
    const { calls: callOf, reply, says } = chat;
    const call = (id: string, index: number, input: object) =>
        callOf(index, id, "read_file", input);
    const server = await chat.startChatServer({
        simulateCache: true,
        apiKey: "sk-bench",
        script: replies(calls, call, reply, reply(says("Done."))),
    });
    return {
        ...server,
        name: "compatible",
        promptTokens: () => server.counts.map(({ promptTokens }) => promptTokens),
        cacheable: wholeSteps,
        environment: { HOUSE_KEY: "sk-bench" },
        model: "house/llama3",
        priced: pricedModel(openaiModels, "gpt-5.1"),
    };
}

function wholeSteps(tokens: number): number {
    return Math.floor(tokens / STEP_TOKENS) * STEP_TOKENS;
}
