type SystemError = NodeJS.ErrnoException;

/** `north ... | head -1` closes the pipe early, which is no failure. */
export function endQuietlyOnClosedPipe(): void {
    for (const stream of [process.stdout, process.stderr]) {
        stream.on("error", (error: SystemError) => {
            if (error.code !== "EPIPE") throw error;
        });
    }
}

/** Calls back when a write finds that nobody reads stdout any more. */
export function onClosedOutput(listener: () => void): void {
    process.stdout.on("error", (error: SystemError) => {
        if (error.code === "EPIPE") listener();
    });
}
