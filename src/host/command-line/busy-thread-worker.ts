// Runs in a worker thread: while the main thread is blocked, none of its listeners runs.
import { writeSync } from "node:fs";
import { Session } from "node:inspector";
import { constants } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import type { BusyThread, Interrupt } from "./busy-thread.js";

const TICK_MS = 250;
/** Silent ticks after which this thread reads keys, because nobody else does. */
const SILENT_TICKS = 4;
/** Grace period of the main thread, in ticks: a suspended process only looked silent. */
const GRACE_TICKS = 8;
/** Requests after which the grace period is skipped. */
const IMPATIENT = 3;
/** Max wait for an interrupt, which V8 handles at the next step of a loop or regular expression. */
const INTERRUPT_TICKS = 12;

interface SignalHandle {
    onsignal: () => void;
    start(signal: number): void;
    close(): void;
}

interface BusyRequest {
    readonly signal: NodeJS.Signals;
    readonly beat: number;
    ticks: number;
    times: number;
}

const { beats, signals, interrupt: name, timeoutMs }: BusyThread = workerData;
const handles: SignalHandle[] = [];
let last = -1;
let silentTicks = 0;
let asked: BusyRequest | undefined;
let isTimeUp = false;
let endingTicks = 0;

function ask(signal: NodeJS.Signals, times = 1): void {
    if (times === 0) return;
    const beat = Atomics.load(beats, 0);
    asked ??= { signal, beat, ticks: 0, times: 0 };
    asked.times += times;
}

function tick(): void {
    if (endingTicks > 0) {
        endingTicks += 1;
        if (endingTicks > INTERRUPT_TICKS) process.kill(process.pid, "SIGKILL");
        return;
    }
    const beat = Atomics.load(beats, 0);
    silentTicks = beat === last ? silentTicks + 1 : 0;
    last = beat;
    if (beat !== asked?.beat) asked = undefined;
    // Repeated: work that ignores the abort may block only later.
    if (isTimeUp && !asked) ask("SIGTERM");
    if (silentTicks === SILENT_TICKS && handles.length === 0) interrupt("signals");
    if (silentTicks >= SILENT_TICKS) interrupt("keys", (times) => ask("SIGINT", times));
    if (!asked) return;
    asked.ticks += 1;
    if (asked.ticks > GRACE_TICKS || asked.times >= IMPATIENT) end(asked);
}

function end({ signal }: BusyRequest): void {
    endingTicks = 1;
    writeSync(2, "\r\nNorth stopped responding and was terminated. `north -c` continues.\n");
    interrupt(isTimeUp ? "timeout" : "end", () => {
        for (const handle of handles) handle.close();
        process.kill(process.pid, signal);
    });
}

/** Runs code on the main thread through the debugger's protocol. */
function interrupt(what: Interrupt, done: (answer: number) => void = () => {}): void {
    const session = new Session();
    session.connectToMainThread();
    const expression = `globalThis[Symbol.for("${name}")]?.("${what}") ?? 0`;
    session.post("Runtime.evaluate", { expression }, (error, answer) => {
        session.disconnect();
        if (!error) done(Number(answer.result.value));
    });
}

/** Workers get no signals through `process.on`. Before Node 24, its internal binding works. */
function hearSignals(): void {
    if (Number.parseInt(process.versions.node, 10) >= 24) return;
    process.noDeprecation = true;
    const binding: (name: string) => { Signal: new () => SignalHandle } = Reflect.get(
        process,
        "binding"
    );
    const { Signal } = binding("signal_wrap");
    for (const signal of signals) {
        const handle = new Signal();
        handle.onsignal = () => ask(signal);
        handle.start(constants.signals[signal]);
        handles.push(handle);
    }
}

setInterval(tick, TICK_MS);
if (timeoutMs !== undefined) setTimeout(() => (isTimeUp = true), timeoutMs);
hearSignals();
parentPort?.postMessage("ready");
