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
    root,
    type BenchRow,
} from "./measure.js";

const MEASURED_TURNS = [10, 500, 2_000];
/** Turns over which CPU time is averaged. */
const WINDOW = 20;
const TURNS = Math.max(...MEASURED_TURNS) + WINDOW;
const BOUND = 1.3;
const BARE_LOOP = [
    "--import",
    import.meta.resolve("tsx"),
    path.join(root, "bench", "bare-loop.ts"),
];

/** The kernel's figures for the process when the n-th request arrived. */
interface Reading {
    /** CPU time in milliseconds. */
    readonly processor: number;
    /** In megabytes. */
    readonly memory: number;
}

/** A conversation of many tool turns in print mode, with a model that answers at once. */
export async function* turnRows(): AsyncGenerator<BenchRow> {
    if (process.platform !== "linux") return;
    const home = mkdtempSync(path.join(tmpdir(), "north-bench-"));
    try {
        writeFileSync(
            path.join(home, "data.txt"),
            "sixty-three characters and a line feed make up one such line..\n".repeat(32)
        );
        // Discard the first run of a version: it compiles and fills the code cache.
        await measuredTurns(home, { turns: 2 * WINDOW, dataFolder: path.join(home, "first-run") });
        const bare = await measuredTurns(home, { turns: TURNS, command: BARE_LOOP });
        const readings = await measuredTurns(home, { turns: TURNS });
        const [, ...late] = MEASURED_TURNS;
        for (const turn of MEASURED_TURNS) yield processorRow(turn, readings, bare);
        for (const turn of late) yield memoryRow(turn, readings);
        yield await resumeRow(home);
    } finally {
        rmSync(home, { recursive: true, force: true });
    }
}

function processorRow(
    turn: number,
    readings: readonly Reading[],
    bare: readonly Reading[]
): BenchRow {
    const each = processorTimeAt(turn, readings);
    const ratio = each / processorTimeAt(turn, bare);
    return {
        what: `CPU of a tool turn of 1 KB at turn ${turn}, to a bare loop on the SDK`,
        value: `${ratio.toFixed(2)} x (${each.toFixed(2)} ms)`,
        bound: `${BOUND} x`,
        ok: ratio <= BOUND,
    };
}

function processorTimeAt(turn: number, readings: readonly Reading[]): number {
    const [from, to] = [Math.max(turn - WINDOW / 2, 2), turn + WINDOW / 2];
    const [before, after] = [readings[from]?.processor, readings[to]?.processor];
    return ((after ?? Number.NaN) - (before ?? Number.NaN)) / (to - from);
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
    {
        turns,
        dataFolder,
        command = [program, "-p", "go"],
    }: {
        readonly turns: number;
        readonly dataFolder?: string;
        readonly command?: readonly string[];
    }
): Promise<Reading[]> {
    const readings: Reading[] = [];
    let pid = 0;
    const server = await startLeanServer((turn) => {
        readings[turn] = { processor: processorTime(pid), memory: residentMemory(pid) };
        if (turn > turns) return reply(text("Done."));
        // Vary the range: repeated calls would be detected as a loop.
        const start = 1 + (turn % 12);
        const range = { start, end: start + 15 };
        return reply(toolUse(`call_${turn}`, "read_file", { path: "data.txt", range }));
    });
    try {
        const extra = dataFolder === undefined ? {} : { NORTH_DATA_DIR: dataFolder };
        const child = start(home, server.url, command, extra);
        pid = child.pid ?? 0;
        if ((await ended(child)) !== 0) throw new Error("The program failed");
        return readings;
    } finally {
        await server.close();
    }
}

/** Time from start until the program sends the resumed conversation. */
async function resumeRow(home: string): Promise<BenchRow> {
    let sent = Number.NaN;
    const server = await startLeanServer(() => {
        sent = performance.now();
        return reply(text("Gone on."));
    });
    try {
        const begin = performance.now();
        const command = [program, "resume", onlyId(home), "-p", "go on"];
        const code = await ended(start(home, server.url, command));
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

function start(
    home: string,
    url: string,
    command: readonly string[],
    extra: NodeJS.ProcessEnv = {}
) {
    return spawn(process.execPath, command, {
        cwd: home,
        env: cleanEnvironment(home, {
            ANTHROPIC_API_KEY: "sk-bench",
            ANTHROPIC_BASE_URL: url,
            ...extra,
        }),
        stdio: ["ignore", "ignore", "inherit"],
    });
}
