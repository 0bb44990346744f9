import { TurnStopped } from "../core/agent/turn.js";

/** Stops the turn under way when the process is told to end, or its time is up. */
export function stopOnSignals(timeoutSeconds?: number): {
    readonly signal: AbortSignal;
    /** The exit code of the signal that ended the run, if one did. */
    exitCode(): number | undefined;
    dispose(): void;
} {
    const controller = new AbortController();
    let code: number | undefined;
    const codes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
    const stop = (name: NodeJS.Signals) => {
        if (code !== undefined) {
            // Asked a second time: whatever holds up the clean end is given up.
            dispose();
            process.kill(process.pid, name);
        }
        code ??= name in codes ? codes[name as keyof typeof codes] : 1;
        controller.abort(new TurnStopped("cancelled"));
    };
    for (const name of Object.keys(codes)) process.on(name, stop);
    const timer =
        timeoutSeconds === undefined
            ? undefined
            : setTimeout(
                  () => controller.abort(new TurnStopped("timeout")),
                  timeoutSeconds * 1_000
              );
    const dispose = () => {
        clearTimeout(timer);
        for (const name of Object.keys(codes)) process.off(name, stop);
    };
    return {
        signal: controller.signal,
        exitCode: () => code,
        dispose,
    };
}
