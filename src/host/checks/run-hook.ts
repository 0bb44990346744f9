import { spawn, type ChildProcess } from "node:child_process";
import { within } from "../../base/waiting.js";

/** Of each stream; what comes after it is read and thrown away. */
const MOST_BYTES = 256 * 1024;
/** A child of the hook may hold its output open for ever. */
const REST_MS = 200;

export interface HookOutcome {
    readonly exitCode: number;
    readonly stdout: string;
    readonly stderr: string;
}

/** Runs a hook with an event on its stdin. On an abort its whole process group is killed. */
export async function runHook(
    command: string,
    event: object,
    { root, signal }: { readonly root: string; readonly signal: AbortSignal }
): Promise<HookOutcome> {
    signal.throwIfAborted();
    const child = spawn("/bin/sh", ["-c", command], {
        cwd: root,
        detached: true,
        stdio: "pipe",
        env: { ...process.env, CLAUDE_PROJECT_DIR: root, NORTH_PROJECT_DIR: root },
    });
    const stop = () => killGroup(child);
    signal.addEventListener("abort", stop);
    // A hook need not read its input.
    child.stdin.on("error", () => {});
    child.stdin.end(`${JSON.stringify(event)}\n`);
    const stdout = new Beginning(child.stdout);
    const stderr = new Beginning(child.stderr);
    try {
        const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
        const exitCode = await new Promise<number>((resolve, reject) => {
            child.once("error", reject);
            child.once("exit", (code) => resolve(code ?? 1));
        });
        await within(REST_MS, closed, () => {});
        signal.throwIfAborted();
        return { exitCode, stdout: stdout.text, stderr: stderr.text };
    } finally {
        signal.removeEventListener("abort", stop);
        // What it left running in its group ends with it.
        stop();
        child.stdout.destroy();
        child.stderr.destroy();
    }
}

function killGroup({ pid }: ChildProcess): void {
    if (pid === undefined) return;
    try {
        process.kill(-pid, "SIGKILL");
    } catch {
        // It has ended.
    }
}

class Beginning {
    private readonly chunks: Buffer[] = [];
    private size = 0;

    constructor(stream: NodeJS.ReadableStream) {
        stream.on("data", (chunk: Buffer) => {
            if (this.size < MOST_BYTES) this.chunks.push(chunk.subarray(0, MOST_BYTES - this.size));
            this.size += chunk.length;
        });
    }

    get text(): string {
        return Buffer.concat(this.chunks).toString().trim();
    }
}
