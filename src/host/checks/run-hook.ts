import { type ChildProcess, spawn } from "node:child_process";
import { attempt } from "../../base/attempt.js";
import { withStreams } from "../../base/child-streams.js";
import { absoluteSearchPath } from "../../base/search-path.js";
import { within } from "../../base/waiting.js";
import type { HookSetting } from "../../storage/hook-settings.js";

/** Per stream. The rest is read and discarded. */
const MAX_BYTES = 256 * 1024;
/** Grace period for output: a child of the hook may hold it open forever. */
const REST_MS = 200;

export type HookOutcome = Awaited<ReturnType<typeof runHook>>;

/**
 * Runs a hook with an event on its stdin. With `args` there is no shell: a shell without a script
 * would read the event, which holds the model's text, as its script. An abort kills its process
 * group.
 */
export async function runHook(
    { command, args }: Pick<HookSetting, "command" | "args">,
    event: object,
    { root, signal }: { readonly root: string; readonly signal: AbortSignal }
) {
    signal.throwIfAborted();
    const placed = (text: string) =>
        text.replace(/\$\{(?:CLAUDE|NORTH)_PROJECT_DIR\}/g, () => root);
    const [program, ...rest] = args ? [command, ...args].map(placed) : ["/bin/sh", "-c", command];
    const child = withStreams(
        spawn(program ?? "", rest, {
            cwd: root,
            detached: true,
            stdio: "pipe",
            env: {
                ...process.env,
                // It runs unasked, so a repository's file must not pass for its programs.
                PATH: absoluteSearchPath(),
                CLAUDE_PROJECT_DIR: root,
                NORTH_PROJECT_DIR: root,
            },
        })
    );
    const stop = () => killGroup(child);
    signal.addEventListener("abort", stop);
    // A hook need not read its input.
    child.stdin.on("error", () => {});
    child.stdin.end(`${JSON.stringify(event)}\n`);
    const stdout = new CappedOutput(child.stdout);
    const stderr = new CappedOutput(child.stderr);
    try {
        const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
        const [exitCode, killer] = await new Promise<[number, NodeJS.Signals | null]>(
            (resolve, reject) => {
                child.once("error", reject);
                child.once("exit", (code, by) => resolve([code ?? 1, by]));
            }
        );
        await within(REST_MS, closed, () => {});
        signal.throwIfAborted();
        if (killer !== null) throw new Error(`it was ended by ${killer}`);
        return { exitCode, stdout: stdout.text, stderr: stderr.text };
    } finally {
        signal.removeEventListener("abort", stop);
        // Kill what it left running in its process group.
        stop();
        child.stdout.destroy();
        child.stderr.destroy();
    }
}

function killGroup({ pid }: ChildProcess): void {
    // It may be gone already.
    if (pid !== undefined) attempt(() => process.kill(-pid, "SIGKILL"));
}

class CappedOutput {
    private readonly chunks: Buffer[] = [];
    private size = 0;

    constructor(stream: NodeJS.ReadableStream) {
        stream.on("data", (chunk: Buffer) => {
            if (this.size < MAX_BYTES) this.chunks.push(chunk.subarray(0, MAX_BYTES - this.size));
            this.size += chunk.length;
        });
    }

    get text(): string {
        return Buffer.concat(this.chunks).toString().trim();
    }
}
