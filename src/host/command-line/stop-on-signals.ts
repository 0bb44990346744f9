import { TurnStopped } from "../../core/agent/turn.js";

/** A run that ends sooner is not watched: the thread would take an eighth of its CPU. */
const LONG_RUN_MS = 2_000;

function ignore(): void {}

/** Stops the turn on a signal or a timeout. */
export function stopOnSignals(timeoutSeconds?: number): {
    readonly signal: AbortSignal;
    /** The exit code of what stopped the run, if anything did. */
    exitCode(): number | undefined;
    /** Stops the turn for another reason. */
    stop(exitCode: number): void;
    /** From now on the run can be stopped even while the main thread is blocked. */
    watch(): Promise<void>;
    /** Watches a run that lasts. Enough where all code is North's own. */
    watchIfLong(): Promise<void>;
    /** Registers what runs if the timeout ends a run whose main thread is blocked. */
    onForcedTimeout(lastWords: () => void): void;
    dispose(): Promise<void>;
} {
    const controller = new AbortController();
    let code: number | undefined;
    const codes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
    const stop = (exitCode: number) => {
        code ??= exitCode;
        controller.abort(new TurnStopped("cancelled"));
    };
    const onSignal = (name: NodeJS.Signals) => {
        // SIGHUP comes twice: from the shell, and from the kernel when the shell exits.
        if (code !== undefined && name === "SIGHUP") return;
        if (code !== undefined) {
            // A second signal skips the clean shutdown.
            void dispose().then(() => process.kill(process.pid, name));
        }
        stop(name in codes ? codes[name as keyof typeof codes] : 1);
    };
    for (const name of Object.keys(codes)) process.on(name, onSignal);
    const startedAt = performance.now();
    const timer =
        timeoutSeconds === undefined
            ? undefined
            : setTimeout(
                  () => controller.abort(new TurnStopped("timeout")),
                  timeoutSeconds * 1_000
              );
    let lastWords = (): void => {};
    const onForcedTimeout = (words: () => void): void => void (lastWords = words);
    let watching: Promise<{ stop(): Promise<void> }> | undefined;
    const startWatch = async () => {
        const { watchBusyThread } = await import("./busy-thread.js");
        const elapsedMs = performance.now() - startedAt;
        return watchBusyThread(timeoutSeconds && timeoutSeconds * 1_000 - elapsedMs, () =>
            lastWords()
        );
    };
    const watch = async () => {
        await (watching ??= startWatch());
    };
    let later: NodeJS.Timeout | undefined;
    const watchIfLong = async () => {
        later ??= setTimeout(() => void watch().catch(ignore), LONG_RUN_MS).unref();
    };
    const dispose = async () => {
        clearTimeout(timer);
        clearTimeout(later);
        // Closing the terminal now must not make a clean exit look killed: there is always a listener.
        process.off("SIGHUP", ignore).on("SIGHUP", ignore);
        for (const name of Object.keys(codes)) process.off(name, onSignal);
        await (await watching)?.stop();
    };
    const { signal } = controller;
    return { signal, exitCode: () => code, stop, watch, watchIfLong, onForcedTimeout, dispose };
}

/** Runs stoppable work. If a signal stops it, resolves with `undefined` and sets the exit code. */
export async function unlessStopped<Result>(
    work: (signal: AbortSignal) => Promise<Result>
): Promise<Result | undefined> {
    const stopper = stopOnSignals();
    try {
        return await work(stopper.signal);
    } catch (error) {
        if (!stopper.signal.aborted) throw error;
        process.exitCode = stopper.exitCode() ?? 1;
        return undefined;
    } finally {
        await stopper.dispose();
    }
}
