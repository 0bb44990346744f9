// oxlint-disable-next-line house/no-timer-of-node -- all else uses `sleep` below
import { setTimeout as timer } from "node:timers/promises";

/**
 * Calls `late` when the time is up, unless the returned function was called. I/O that has already
 * arrived goes first: after a suspend, Node runs timers before sockets.
 */
export function afterTime(milliseconds: number, late: () => void): () => void {
    let soon: NodeJS.Immediate | undefined;
    const timer = setTimeout(() => (soon = setImmediate(late)), milliseconds);
    return () => {
        clearTimeout(timer);
        clearImmediate(soon);
    };
}

/** Returns a function that runs what it is given one at a time, in order; a failure stops nothing. */
export function oneAtATime(): <Value>(work: () => Promise<Value>) => Promise<Value> {
    let last: Promise<unknown> = Promise.resolve();
    return (work) => {
        const result = last.then(work);
        last = result.catch(() => {});
        return result;
    };
}

/** The promise's value, or what `late` returns or throws once time is up. */
export function within<Value, Late>(
    milliseconds: number,
    promise: PromiseLike<Value>,
    late: () => Late
): Promise<Value | Late> {
    return new Promise((resolve, reject) => {
        const end = afterTime(milliseconds, () => settle(late, resolve, reject));
        promise.then(resolve, reject).then(end, end);
    });
}

/** The promise's value, or what `aborted` returns or throws (the signal's reason) on an abort. */
export function untilAborted<Value, Aborted = never>(
    promise: PromiseLike<Value>,
    signal: AbortSignal,
    aborted = (): Aborted => {
        throw signal.reason;
    }
): Promise<Value | Aborted> {
    return new Promise((resolve, reject) => {
        const stop = () => settle(aborted, resolve, reject);
        const end = () => signal.removeEventListener("abort", stop);
        if (signal.aborted) stop();
        else signal.addEventListener("abort", stop, { once: true });
        promise.then(resolve, reject).then(end, end);
    });
}

export function whenAborted(signal: AbortSignal): Promise<void> {
    return untilAborted(new Promise<never>(() => {}), signal, () => {});
}

interface TimeLimitOptions {
    readonly signal?: AbortSignal;
    /** The abort reason; defaults to a `TimeoutError`. */
    readonly reason?: () => unknown;
    /** How much of the limit is used up, at most the time that passed; defaults to that. */
    readonly spentMs?: () => number;
}

/**
 * Runs `work` with a signal that aborts with `options.signal` or when the time is up. Not
 * `AbortSignal.timeout`: within `AbortSignal.any`, Node 20 garbage-collects its timer, which does
 * not keep the process alive either.
 */
export async function withTimeLimit<Value>(
    milliseconds: number,
    work: (signal: AbortSignal) => Promise<Value>,
    { signal, reason = timedOut, spentMs = () => milliseconds }: TimeLimitOptions = {}
): Promise<Value> {
    const limit = new AbortController();
    let end = () => {};
    const wait = (left: number) => {
        if (left > 0) end = afterTime(left, () => wait(milliseconds - spentMs()));
        else limit.abort(reason());
    };
    const stop = () => limit.abort(signal?.reason);
    if (signal?.aborted) stop();
    signal?.addEventListener("abort", stop, { once: true });
    wait(milliseconds);
    try {
        return await work(limit.signal);
    } finally {
        end();
        signal?.removeEventListener("abort", stop);
    }
}

/** Rejects with the signal's reason on an abort. */
export async function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    try {
        await timer(milliseconds, undefined, { signal });
    } catch (error) {
        throw signal?.reason ?? error;
    }
}

function settle<Value>(
    give: () => Value,
    resolve: (value: Value) => void,
    reject: (reason: unknown) => void
): void {
    try {
        resolve(give());
    } catch (error) {
        reject(error);
    }
}

function timedOut(): DOMException {
    return new DOMException("Time limit reached.", "TimeoutError");
}
