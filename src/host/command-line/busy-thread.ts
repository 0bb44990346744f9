import { once } from "node:events";
import { closeSync, constants, openSync, readSync } from "node:fs";
import { extname } from "node:path";
import { Worker } from "node:worker_threads";

export interface BusyThread {
    /** Incremented while the main thread is free. */
    readonly beats: Int32Array;
    readonly signals: readonly NodeJS.Signals[];
    /** Name of the symbol through which the main thread is interrupted. */
    readonly interrupt: string;
    readonly timeoutMs?: number;
}

export type Interrupt = "signals" | "keys" | "end" | "timeout";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const INTERRUPT = "north:interrupt";

const BEAT_MS = 250;
/** Ctrl+C as a byte, and in the kitty protocol. */
const CTRL_C = /\u0003|\u001b\[99;5u/g;

/**
 * Lets signals, Ctrl+C and the time limit end the program even while the main thread is blocked.
 * Resolves once active; `stop` resolves once only the main thread handles signals. `onTimeout` runs
 * right before the time limit ends the program.
 */
export async function watchBusyThread(
    timeoutMs?: number,
    onTimeout: () => void = () => {}
): Promise<{ stop(): Promise<void> }> {
    const beats = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const value = (what: Interrupt): number => answer(what, onTimeout);
    Object.defineProperty(globalThis, Symbol.for(INTERRUPT), { configurable: true, value });
    const workerData: BusyThread = { beats, signals: SIGNALS, interrupt: INTERRUPT, timeoutMs };
    // The build puts both files side by side too.
    const file = new URL(`./busy-thread-worker${extname(import.meta.url)}`, import.meta.url);
    const worker = new Worker(file, { workerData, env: {} });
    worker.unref();
    // Best effort: without the worker, all works unless something blocks.
    await once(worker, "message").catch(() => {});
    worker.on("error", () => {});
    const beating = setInterval(() => Atomics.add(beats, 0, 1), BEAT_MS).unref();
    return {
        async stop() {
            clearInterval(beating);
            await worker.terminate();
        },
    };
}

/** Runs on the main thread, in the middle of what blocks it. */
function answer(what: Interrupt, onTimeout: () => void): number {
    if (what === "keys") return interruptsTyped();
    if (what === "signals") return leaveSignalsToSystem();
    if (what === "timeout") onTimeout();
    // Restores the terminal, among other things.
    process.emit("exit", 1);
    for (const signal of SIGNALS) process.removeAllListeners(signal);
    return 0;
}

/** Lets a signal end the program at once, until the main thread is free again. */
function leaveSignalsToSystem(): number {
    for (const signal of SIGNALS) {
        const listeners = process.listeners(signal);
        process.removeAllListeners(signal);
        setImmediate(() => listeners.forEach((listener) => process.on(signal, listener)));
    }
    return 0;
}

/** Counts Ctrl+C, which is an ordinary key in raw mode. All keys are pushed back to stdin. */
function interruptsTyped(): number {
    const { stdin } = process;
    if (!stdin.isTTY || !stdin.isRaw) return 0;
    const typed = readTerminal();
    if (typed.length > 0) process.nextTick(() => stdin.push(typed));
    return [...typed.toString("latin1").matchAll(CTRL_C)].length;
}

function readTerminal(): Buffer {
    const chunks: Buffer[] = [];
    const terminal = openSync("/dev/tty", constants.O_RDONLY | constants.O_NONBLOCK);
    try {
        for (;;) {
            const chunk = Buffer.alloc(4_096);
            const length = readSync(terminal, chunk);
            if (length === 0) break;
            chunks.push(chunk.subarray(0, length));
        }
    } catch {
        // No more input.
    } finally {
        closeSync(terminal);
    }
    return Buffer.concat(chunks);
}
