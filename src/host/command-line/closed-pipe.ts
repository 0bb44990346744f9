type SystemError = NodeJS.ErrnoException;

/** `north ... | head -1` closes the pipe early: that is the reader's right and no failure. */
export function endQuietlyOnClosedPipe(): void {
    for (const stream of [process.stdout, process.stderr]) {
        stream.on("error", (error: SystemError) => {
            if (error.code !== "EPIPE") throw error;
        });
    }
}

/** Calls back when nobody reads stdout any more, which shows when something is written to it. */
export function onClosedOutput(listener: () => void): void {
    process.stdout.on("error", (error: SystemError) => {
        if (error.code === "EPIPE") listener();
    });
}
