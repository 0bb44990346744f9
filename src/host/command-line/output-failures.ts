import { closeSync, openSync } from "node:fs";
import { isatty } from "node:tty";
import { isExpectedError } from "../../base/north-error.js";
import { printToStderr } from "../../base/stderr.js";
import { asWriteError } from "../../storage/files/storage-error.js";

type SystemError = NodeJS.ErrnoException;

/** Ignores a closed reader. Reports other failures, such as a full disk, in one sentence. */
export function handleOutputFailures(): void {
    const { stdout, stderr } = process;
    let isTold = false;
    // Runs first: each copy of oclif adds a listener that throws on anything but EPIPE.
    stdout.prependListener("error", (error: SystemError) => {
        if (!isReaderGone(stdout, error) && !isTold) {
            isTold = true;
            process.exitCode = 1;
            const told = asWriteError(error, "the output");
            printToStderr(
                isExpectedError(told)
                    ? told.message
                    : `The output could not be written (${error.code}).`
            );
        }
        error.code = "EPIPE";
    });
    // Nowhere left to report that stderr failed.
    stderr.on("error", () => {});
    replaceClosedTerminals();
}

/** Calls back with the exit code once stdout fails. */
export function onClosedOutput(listener: (exitCode: 0 | 1) => void): void {
    const { stdout } = process;
    stdout.prependListener("error", (error: SystemError) =>
        listener(isReaderGone(stdout, error) ? 0 : 1)
    );
}

function isReaderGone({ isTTY }: NodeJS.WriteStream, { code }: SystemError): boolean {
    return code === "EPIPE" || (isTTY && code === "EIO");
}

/** On exit Node resets the terminals it started on, and aborts if one was closed. */
function replaceClosedTerminals(): void {
    const terminals = [0, 1, 2].filter((descriptor) => isatty(descriptor));
    process.on("exit", () => {
        for (const descriptor of terminals) {
            if (isatty(descriptor)) continue;
            closeSync(descriptor);
            // Takes the descriptor that was just freed.
            openSync("/dev/null", "r+");
        }
    });
}
