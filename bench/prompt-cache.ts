import { spawn } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import * as chat from "../test/helpers/vendors/chat-completions-server.js";
import * as messages from "../test/helpers/vendors/messages-server.js";
import { STEP_TOKENS } from "../test/helpers/vendors/prefix-cache.js";
import * as responses from "../test/helpers/vendors/responses-server.js";
import { cleanEnvironment, ended, program, root, type BenchRow } from "./measure.js";

/** Turns with a tool; one request more is for the answer. */
const TURNS = 30;
const CALL = { path: "data.txt", range: { start: 1, end: 16 } };

/** What the built program has said of itself in the end; the vendors' counts as it read them. */
interface Result {
    readonly usage: Readonly<
        Record<"inputTokens" | "cacheReadTokens" | "cacheWriteTokens", number>
    >;
}

/** A server for one kind of vendor, with its prompt cache, and how the program is sent there. */
interface Vendor {
    readonly name: string;
    readonly url: string;
    readonly environment: Readonly<Record<string, string>>;
    readonly model: string;
    /** Its cache holds whole steps of so many tokens. */
    readonly stepTokens: number;
    /** Tokens of each request so far. */
    promptTokens(): readonly number[];
    close(): Promise<void>;
}

/** The share of the input that vendors' prompt caches serve, by the program's own account. */
export async function promptCacheRows(): Promise<BenchRow[]> {
    const rows: BenchRow[] = [];
    for (const start of [startAnthropic, startOpenai, startCompatible]) {
        const vendor = await start();
        try {
            rows.push(shareRow(vendor, await converse(vendor)));
        } finally {
            await vendor.close();
        }
    }
    return rows;
}

/**
 * However good the cache, each token has to be sent for a first time, and in so short a run these
 * count: what is possible stands beside the design's bound.
 */
function shareRow({ name, stepTokens, promptTokens }: Vendor, { usage }: Result): BenchRow {
    const { inputTokens, cacheReadTokens, cacheWriteTokens } = usage;
    const all = inputTokens + cacheReadTokens + cacheWriteTokens;
    const possible = promptTokens()
        .slice(0, -1)
        .reduce((sum, tokens) => sum + Math.floor(tokens / stepTokens) * stepTokens, 0);
    const inPercent = (tokens: number) => Number(((100 * tokens) / all).toFixed(1));
    const [share, best] = [inPercent(cacheReadTokens), inPercent(possible)];
    return {
        what: `input read from the prompt cache in ${TURNS} turns (${name})`,
        value: `${share} %`,
        bound: `at least 95 % (${best} % is all that can be)`,
        ok: share >= 95,
    };
}

/** Runs the built program through the turns. */
async function converse({ url, environment, model }: Vendor): Promise<Result> {
    const home = mkdtempSync(path.join(tmpdir(), "north-bench-"));
    try {
        const line = "sixty-three characters and a line feed make up one such line..\n";
        writeFileSync(path.join(home, "data.txt"), line.repeat(16));
        // What most projects have, and every request carries.
        copyFileSync(path.join(root, "README.md"), path.join(home, "README.md"));
        copyFileSync(path.join(root, "CONTRIBUTING.md"), path.join(home, "AGENTS.md"));
        const folder = path.join(home, ".config", "north");
        mkdirSync(folder, { recursive: true });
        const providers = { house: { baseURL: url, keyVariable: "HOUSE_KEY", models: ["llama3"] } };
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

/** A script of so many calls and an end. */
function turns<Reply>(call: (id: string) => Reply, end: Reply): Reply[] {
    return [...Array.from({ length: TURNS }, (_, index) => call(`call_${index}`)), end];
}

async function startAnthropic(): Promise<Vendor> {
    const { reply, text, toolUse } = messages;
    const server = await messages.startMessagesServer({
        simulateCache: true,
        script: turns((id) => reply(toolUse(id, "read_file", CALL)), reply(text("Done."))),
    });
    return {
        ...server,
        name: "Anthropic",
        stepTokens: 1,
        promptTokens: () =>
            server.counts.map(
                (each) =>
                    each.input_tokens +
                    each.cache_read_input_tokens +
                    each.cache_creation_input_tokens
            ),
        environment: { ANTHROPIC_API_KEY: "sk-bench", ANTHROPIC_BASE_URL: server.url },
        model: "sonnet",
    };
}

async function startOpenai(): Promise<Vendor> {
    const { functionCall, reply, text } = responses;
    const server = await responses.startResponsesServer({
        simulateCache: true,
        script: turns((id) => reply(functionCall(id, "read_file", CALL)), reply(text("Done."))),
    });
    return {
        ...server,
        name: "OpenAI",
        stepTokens: STEP_TOKENS,
        promptTokens: () => server.counts.map(({ promptTokens }) => promptTokens),
        environment: { OPENAI_API_KEY: "sk-bench", OPENAI_BASE_URL: server.url },
        model: "gpt-5.1",
    };
}

async function startCompatible(): Promise<Vendor> {
    const { calls, reply, says } = chat;
    const server = await chat.startChatServer({
        simulateCache: true,
        apiKey: "sk-bench",
        script: turns((id) => reply(calls(0, id, "read_file", CALL)), reply(says("Done."))),
    });
    return {
        ...server,
        name: "compatible",
        stepTokens: STEP_TOKENS,
        promptTokens: () => server.counts.map(({ promptTokens }) => promptTokens),
        environment: { HOUSE_KEY: "sk-bench" },
        model: "house/llama3",
    };
}
