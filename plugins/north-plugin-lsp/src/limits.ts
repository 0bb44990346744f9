import { NorthError } from "north-cli/plugin";

/** In milliseconds. */
export interface Limits {
    readonly start: number;
    readonly request: number;
    /** A review waits no longer. */
    readonly review: number;
    /** A server that nobody has used for so long ends. */
    readonly idle: number;
}

/** For a large project, on a busy machine. */
export const LIMITS: Limits = { start: 60_000, request: 30_000, review: 5_000, idle: 600_000 };

/** A server that has failed so often is not started again. */
export const MAX_FAILURES = 3;
/** After more changes a new server is faster. */
export const MAX_CHANGES = 300;
export const MAX_FILE_BYTES = 1024 * 1024;
export const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
/** Messages between two replies. */
export const MAX_MESSAGES = 20_000;

/** Rejects with `timeout` after `ms`, and with the signal's reason once it aborts. */
export async function limited<Value>(
    work: Promise<Value>,
    ms: number,
    what: string,
    signal?: AbortSignal
): Promise<Value> {
    signal?.throwIfAborted();
    let stop = () => {};
    const limit = new Promise<never>((_resolve, reject) => {
        const timer = setTimeout(
            () => reject(new NorthError("timeout", `${what} took longer than ${ms / 1_000} s.`)),
            ms
        );
        const onAbort = () => reject(signal?.reason);
        signal?.addEventListener("abort", onAbort, { once: true });
        stop = () => {
            clearTimeout(timer);
            signal?.removeEventListener("abort", onAbort);
        };
    });
    return Promise.race([work, limit]).finally(() => stop());
}
