import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { reply, text, toolUse } from "../test/helpers/vendors/messages-replies.js";
import { startLeanServer } from "./lean-messages-server.js";
import {
    cleanEnvironment,
    ended,
    processorTime,
    program,
    residentMemory,
    type BenchRow,
} from "./measure.js";

const MEASURED_TURNS = [10, 500, 2_000];
/** Turns over which the processor time is averaged. */
const WINDOW = 20;
const TURNS = Math.max(...MEASURED_TURNS) + WINDOW;

/** What the kernel said of the process when the n-th request arrived. */
interface Reading {
    /** Milliseconds of processor time. */
    readonly processor: number;
    /** Megabytes. */
    readonly memory: number;
}

/** A conversation of many tool turns in print mode, on a model that answers at once. */
export async function turnRows(): Promise<BenchRow[]> {
    if (process.platform !== "linux") return [];
    const home = mkdtempSync(path.join(tmpdir(), "north-bench-"));
    try {
        writeFileSync(
            path.join(home, "data.txt"),
            "sixty-three characters and a line feed make up one such line..\n".repeat(32)
        );
        // The first run of a version compiles and keeps what it compiled; it does not count.
        await measuredTurns(home, { turns: 2 * WINDOW, dataFolder: path.join(home, "first-run") });
        const readings = await measuredTurns(home, { turns: TURNS });
        const [, ...late] = MEASURED_TURNS;
        return [
            ...MEASURED_TURNS.map((turn) => processorRow(turn, readings)),
            ...late.map((turn) => memoryRow(turn, readings)),
            await resumeRow(home),
        ];
    } finally {
        rmSync(home, { recursive: true, force: true });
    }
}

function processorRow(turn: number, readings: readonly Reading[]): BenchRow {
    const [from, to] = [Math.max(turn - WINDOW / 2, 2), turn + WINDOW / 2];
    const [before, after] = [readings[from]?.processor, readings[to]?.processor];
    const each = ((after ?? Number.NaN) - (before ?? Number.NaN)) / (to - from);
    return {
        what: `a tool turn of 1 KB at turn ${turn}`,
        value: `${each.toFixed(2)} ms of CPU`,
        bound: "5 ms of CPU",
        ok: each <= 5,
    };
}

function memoryRow(turn: number, readings: readonly Reading[]): BenchRow {
    const bound = turn <= 500 ? 130 : 160;
    const memory = readings[turn]?.memory ?? Number.NaN;
    return {
        what: `memory after ${turn} turns`,
        value: `${memory.toFixed(0)} MB`,
        bound: `${bound} MB`,
        ok: memory <= bound,
    };
}

async function measuredTurns(
    home: string,
    { turns, dataFolder }: { readonly turns: number; readonly dataFolder?: string }
): Promise<Reading[]> {
    const readings: Reading[] = [];
    let pid = 0;
    const server = await startLeanServer((turn) => {
        readings[turn] = { processor: processorTime(pid), memory: residentMemory(pid) };
        if (turn > turns) return reply(text("Done."));
        // The same call again and again would be taken for a loop.
        const start = 1 + (turn % 12);
        const range = { start, end: start + 15 };
        return reply(toolUse(`call_${turn}`, "read_file", { path: "data.txt", range }));
    });
    try {
        const extra = dataFolder === undefined ? {} : { NORTH_DATA_DIR: dataFolder };
        const child = start(home, server.url, ["-p", "go"], extra);
        pid = child.pid ?? 0;
        if ((await ended(child)) !== 0) throw new Error("The program failed");
        return readings;
    } finally {
        await server.close();
    }
}

/** From the start of the program until it sends what the conversation goes on with. */
async function resumeRow(home: string): Promise<BenchRow> {
    let sent = Number.NaN;
    const server = await startLeanServer(() => {
        sent = performance.now();
        return reply(text("Gone on."));
    });
    try {
        const begin = performance.now();
        const code = await ended(start(home, server.url, ["resume", onlyId(home), "-p", "go on"]));
        if (code !== 0) throw new Error("The program failed");
        const seconds = (sent - begin) / 1_000;
        return {
            what: `resuming it after ${TURNS} turns, to the first request`,
            value: `${seconds.toFixed(2)} s`,
            bound: "1 s",
            ok: seconds <= 1,
        };
    } finally {
        await server.close();
    }
}

function onlyId(home: string): string {
    const names = readdirSync(path.join(home, ".north", "conversations"));
    return names.find((name) => name.endsWith(".jsonl"))?.replace(".jsonl", "") ?? "";
}

function start(home: string, url: string, words: readonly string[], extra: NodeJS.ProcessEnv = {}) {
    return spawn(process.execPath, [program, ...words], {
        cwd: home,
        env: cleanEnvironment(home, {
            ANTHROPIC_API_KEY: "sk-bench",
            ANTHROPIC_BASE_URL: url,
            ...extra,
        }),
        stdio: ["ignore", "ignore", "inherit"],
    });
}
