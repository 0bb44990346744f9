import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { bundledProgram } from "../helpers/bundled-program.js";
import type { ChildTask } from "./child.js";

const CHILD = new URL("./child.ts", import.meta.url);

/** A process that does a task of `child.ts` and tells of its progress line by line. */
export interface Child {
    readonly process: ChildProcess;
    readonly lines: string[];
    /** Resolves once it has said this many lines. */
    said(count: number): Promise<void>;
    /** Resolves with its exit code, `null` after a signal. */
    ended(): Promise<number | null>;
    kill(): Promise<void>;
}

/** `wrapper` is a shell script that runs `"$@"`, for limits set before the start. */
export function startChild(task: ChildTask, wrapper = 'exec "$@"'): Child {
    const command = [process.execPath, bundledProgram(CHILD), JSON.stringify(task)];
    const child = spawn("sh", ["-c", wrapper, "sh", ...command], {
        stdio: ["ignore", "pipe", "inherit"],
    });
    const lines: string[] = [];
    const reader = createInterface({ input: child.stdout });
    reader.on("line", (line) => lines.push(line));
    const closed = once(child, "close");
    return {
        process: child,
        lines,
        async said(count) {
            while (lines.length < count) {
                if (child.exitCode !== null) throw new Error("The child ended too early");
                await Promise.race([once(reader, "line"), closed]);
            }
        },
        async ended() {
            await closed;
            return child.exitCode;
        },
        async kill() {
            child.kill("SIGKILL");
            await closed;
        },
    };
}

/** Runs tasks side by side; fails unless all end well. */
export async function runChildren(tasks: readonly ChildTask[]): Promise<void> {
    const codes = await Promise.all(tasks.map((task) => startChild(task).ended()));
    if (codes.some((code) => code !== 0)) throw new Error(`Children ended with ${codes.join()}`);
}
