import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { reply, startMessagesServer, text, toolUse } from "../test/helpers/messages-server.js";
import {
    cleanEnvironment,
    ended,
    processorTime,
    program,
    residentMemory,
    type BenchRow,
} from "./measure.js";

const TURNS = 520;
/** Turns over which the processor time is averaged. */
const WINDOW = 20;

interface Readings {
    /** Milliseconds of processor time when the n-th request arrived. */
    readonly processor: number[];
    memoryAt500: number;
}

/** A conversation of many tool turns in print mode, on a model that answers at once. */
export async function turnRows(): Promise<BenchRow[]> {
    if (process.platform !== "linux") return [];
    const home = mkdtempSync(path.join(tmpdir(), "north-bench-"));
    try {
        writeFileSync(
            path.join(home, "data.txt"),
            "sixty-three characters and a line feed make up one such line..\n".repeat(16)
        );
        const readings = await measuredTurns(home);
        return [
            processorRow("a tool turn of 1 KB at turn 10", readings, 10),
            processorRow("a tool turn of 1 KB at turn 500", readings, 500),
            {
                what: "memory after 500 turns",
                value: `${readings.memoryAt500.toFixed(0)} MB`,
                bound: "180 MB",
                ok: readings.memoryAt500 <= 180,
            },
            await cacheRow(home),
        ];
    } finally {
        rmSync(home, { recursive: true, force: true });
    }
}

function processorRow(what: string, { processor }: Readings, turn: number): BenchRow {
    const [from, to] = [turn - WINDOW / 2, turn + WINDOW / 2].map((each) => Math.max(each, 2));
    const used = (processor[to ?? 0] ?? Number.NaN) - (processor[from ?? 0] ?? Number.NaN);
    const each = used / ((to ?? 0) - (from ?? 0));
    return { what, value: `${each.toFixed(2)} ms of CPU`, bound: "5 ms of CPU", ok: each <= 5 };
}

async function measuredTurns(home: string): Promise<Readings> {
    const readings: Readings = { processor: [], memoryAt500: Number.NaN };
    let pid = 0;
    await converse(
        home,
        TURNS,
        false,
        (turn) => {
            readings.processor[turn] = processorTime(pid);
            if (turn === 500) readings.memoryAt500 = residentMemory(pid);
        },
        (started) => (pid = started)
    );
    return readings;
}

async function cacheRow(home: string): Promise<BenchRow> {
    const counts = await converse(
        home,
        30,
        true,
        () => {},
        () => {}
    );
    const read = counts.reduce((sum, each) => sum + each.cache_read_input_tokens, 0);
    const all = counts.reduce(
        (sum, each) =>
            sum +
            each.cache_read_input_tokens +
            each.cache_creation_input_tokens +
            each.input_tokens,
        0
    );
    const share = (100 * read) / all;
    return {
        what: "input read from the prompt cache in 30 turns (Anthropic)",
        value: `${share.toFixed(1)} %`,
        bound: "at least 95 %",
        ok: share >= 95,
    };
}

/** Runs the built program through so many tool turns. */
async function converse(
    home: string,
    turns: number,
    simulateCache: boolean,
    onRequest: (turn: number) => void,
    onStart: (pid: number) => void
) {
    let turn = 0;
    const server = await startMessagesServer({
        simulateCache,
        script: () => {
            turn += 1;
            onRequest(turn);
            if (turn > turns) return reply(text("Done."));
            return reply(
                toolUse(`call_${turn}`, "read_file", {
                    path: "data.txt",
                    range: { start: 1, end: 16 },
                })
            );
        },
    });
    const child = spawn(process.execPath, [program, "-p", "go"], {
        cwd: home,
        env: cleanEnvironment(home, {
            ANTHROPIC_API_KEY: "sk-bench",
            ANTHROPIC_BASE_URL: server.url,
        }),
        stdio: ["ignore", "ignore", "inherit"],
    });
    onStart(child.pid ?? 0);
    const code = await ended(child);
    await server.close();
    if (code !== 0) throw new Error(`The program failed: ${server.problems.join("; ")}`);
    return server.counts;
}
