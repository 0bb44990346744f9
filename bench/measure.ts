import { spawn, type ChildProcess } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** One row of the report. */
export interface BenchRow {
    readonly what: string;
    readonly value: string;
    readonly bound: string;
    readonly ok: boolean;
}

export const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** The built program, as shipped. */
export const program = path.join(root, "bin", "run.js");

export function median(numbers: readonly number[]): number {
    const sorted = [...numbers].sort((one, other) => one - other);
    return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** A row with the ratio to a reference measured in the same run. */
export function ratioRow(what: string, ratios: readonly number[], bound: number): BenchRow {
    const value = median(ratios);
    const range = `${Math.min(...ratios).toFixed(1)} to ${Math.max(...ratios).toFixed(1)}`;
    return {
        what,
        value: `${value.toFixed(2)} x (${range})`,
        bound: bound === Infinity ? "none" : `${bound} x`,
        ok: value <= bound,
    };
}

/** Returns a clean environment for a measured process, with North's folders in `home`. */
export function cleanEnvironment(home: string, extra: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
    return {
        PATH: process.env.PATH,
        HOME: home,
        LANG: "C.UTF-8",
        TERM: "xterm-256color",
        ...extra,
    };
}

/** Milliseconds until a command exits. */
export async function wallTime(
    command: string,
    words: readonly string[],
    options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {}
): Promise<number> {
    const begin = performance.now();
    await ended(spawn(command, words, { ...options, stdio: "ignore" }));
    return performance.now() - begin;
}

export async function ended(child: ChildProcess): Promise<number> {
    return new Promise((resolve, reject) => {
        child.once("error", reject).once("close", (code) => resolve(code ?? 1));
    });
}

/** CPU time of a process and its threads in milliseconds, as the kernel counts it. */
export function processorTime(pid: number): number {
    const folder = `/proc/${pid}/task`;
    const nanoseconds = readdirSync(folder).map((task) => {
        const [running = "0"] = readFileSync(`${folder}/${task}/schedstat`, "utf8").split(" ");
        return Number(running);
    });
    return nanoseconds.reduce((sum, each) => sum + each, 0) / 1e6;
}

/** As `processorTime`, with threads that have ended, to a hundredth of a second. */
export function wholeProcessorTime(pid: number): number {
    return ticksOf(pid, 11, 13) * 10;
}

/** CPU time of this process and its finished children, in milliseconds. */
export function processorTimeOfAll(): number {
    return ticksOf("self", 11, 15) * 10;
}

/** CPU time of finished children, in milliseconds. */
export function childrenTime(): number {
    return ticksOf("self", 13, 15) * 10;
}

function ticksOf(pid: number | "self", from: number, to: number): number {
    const [, after = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
    const ticks = after.split(" ").slice(from, to).map(Number);
    return ticks.reduce((sum, each) => sum + each, 0);
}

/** Resident memory of a process, in megabytes. */
export function residentMemory(pid: number): number {
    return statusOf(pid, "VmRSS");
}

/** Peak memory of a process, in megabytes. */
export function peakMemory(pid: number): number {
    return statusOf(pid, "VmHWM");
}

function statusOf(pid: number, field: "VmRSS" | "VmHWM"): number {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? Number.NaN) / 1024;
}
