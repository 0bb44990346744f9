/** `north ... | head -1` closes the pipe early: that is the reader's right and no failure. */
export function endQuietlyOnClosedPipe(): void {
    for (const stream of [process.stdout, process.stderr]) {
        stream.on("error", (error: NodeJS.ErrnoException) => {
            if (error.code !== "EPIPE") throw error;
        });
    }
}
