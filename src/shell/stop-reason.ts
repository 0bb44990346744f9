/** Why a command was ended from outside. */
export type StopReason = "timed-out" | "cancelled";

/** Waits for the time limit or the signal, whichever comes first. */
export function awaitStop(timeoutMs: number, signal: AbortSignal | undefined) {
    let forget = () => {};
    const reason = new Promise<StopReason>((resolve) => {
        const cancel = () => resolve("cancelled");
        const timer = setTimeout(() => resolve("timed-out"), timeoutMs);
        if (signal?.aborted) cancel();
        signal?.addEventListener("abort", cancel, { once: true });
        forget = () => {
            clearTimeout(timer);
            signal?.removeEventListener("abort", cancel);
        };
    });
    return { reason, forget: () => forget() };
}
