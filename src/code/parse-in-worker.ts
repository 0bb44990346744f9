import { once } from "node:events";
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { startCpuClock } from "../base/cpu-clock.js";
import { oneAtATime, withTimeLimit } from "../base/waiting.js";
import type { Section } from "./section.js";
import type { LineError } from "./syntax-error.js";
import type { Token } from "./tokens.js";
import { tooComplex } from "./too-complex.js";

export interface ParseResults {
    readonly sections: readonly Section[];
    readonly errors: readonly LineError[];
    readonly tokens: readonly Token[];
}

export interface ParseRequest {
    readonly what: keyof ParseResults;
    readonly languageId: string;
    readonly text: string;
}

const MAX_CHARACTERS = 20_000_000;
/**
 * CPU time, including that to load a grammar. Parsers read two million characters per second, but
 * take quadratic time for some texts.
 */
const MIN_LIMIT_MS = 3_000;
const CHARACTERS_PER_MS = 100;
const MAX_LIMIT_MS = 30_000;

let worker: Worker | undefined;
const inTurn = oneAtATime();

/**
 * Parses in a worker, one text at a time, because no parser can be interrupted within some texts.
 * Rejects with `too-complex` or the signal's reason.
 */
export async function parseInWorker<What extends keyof ParseResults>(
    what: What,
    languageId: string,
    text: string,
    signal?: AbortSignal
): Promise<ParseResults[What]> {
    if (text.length > MAX_CHARACTERS) throw tooComplex();
    const parsed = await inTurn(() => parse({ what, languageId, text }, signal));
    return parsed as ParseResults[What];
}

async function parse(
    request: ParseRequest,
    signal?: AbortSignal
): Promise<ParseResults[keyof ParseResults]> {
    signal?.throwIfAborted();
    const thread = (worker ??= await start());
    thread.ref();
    const limitMs = MIN_LIMIT_MS + request.text.length / CHARACTERS_PER_MS;
    const answer = async (ended: AbortSignal): Promise<ParseResults[keyof ParseResults]> => {
        const answered = once(thread, "message", { signal: ended });
        thread.postMessage(request);
        const [value] = await answered;
        return value;
    };
    try {
        return await withTimeLimit(Math.min(limitMs, MAX_LIMIT_MS), answer, {
            signal,
            reason: tooComplex,
            spentMs: startCpuClock(),
        });
    } catch (error) {
        worker = undefined;
        void thread.terminate();
        throw reasonOf(error);
    } finally {
        // An idle worker must not keep the process alive.
        thread.unref();
    }
}

async function start(): Promise<Worker> {
    // The build keeps both files side by side, as here.
    const file = new URL(`./parse-worker${extname(import.meta.url)}`, import.meta.url);
    const thread = new Worker(file, { env: {} });
    await once(thread, "message");
    thread.on("error", () => {});
    return thread;
}

function reasonOf(error: unknown): unknown {
    if (!(error instanceof Error)) return error;
    // The `AbortError` of `once` wraps the reason.
    if (error.name === "AbortError") return error.cause;
    // A grammar ran out of memory, or a reader out of stack.
    return /^(?:RuntimeError|RangeError)$/.test(error.name) ? tooComplex() : error;
}
