interface ReceiveOptions {
    /** Aborts the request. */
    readonly signal: AbortSignal;
    /** Converts an error of the request. */
    readonly toFailure: (error: unknown) => unknown;
    /** Called once, however the request ends. */
    readonly finish?: () => void;
}

/**
 * The events of one request. Rejects with the signal's reason once it aborts, whatever failed
 * because of that, and otherwise with what `toFailure` makes of an error. Sends nothing if the
 * signal is already aborted. Map a server's events inside `send`: it may send anything.
 */
export async function* receiveReply<Event>(
    send: () => AsyncIterable<Event>,
    { signal, toFailure, finish = () => {} }: ReceiveOptions
): AsyncGenerator<Event, void> {
    try {
        signal.throwIfAborted();
        yield* send();
    } catch (error) {
        signal.throwIfAborted();
        throw toFailure(error);
    } finally {
        finish();
    }
    // Some SDKs end an aborted stream as if it were complete.
    signal.throwIfAborted();
}
