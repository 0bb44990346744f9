import { closeSync, openSync } from "node:fs";
import { isatty } from "node:tty";
import { isExpectedError } from "../../base/north-error.js";
import { asWriteError } from "../../storage/files/storage-error.js";

type SystemError = NodeJS.ErrnoException;

/** Output that nobody reads any more is no failure; on a full disk it is one, told in a sentence. */
export function settleOutputFailures(): void {
    const { stdout, stderr } = process;
    let isTold = false;
    // First in the row: each copy of oclif adds a listener to stdout that throws all but EPIPE.
    stdout.prependListener("error", (error: SystemError) => {
        if (!isReaderGone(stdout, error) && !isTold) {
            isTold = true;
            process.exitCode = 1;
            const told = asWriteError(error, "the output");
            stderr.write(
                `${isExpectedError(told) ? told.message : `The output could not be written (${error.code}).`}\n`
            );
        }
        error.code = "EPIPE";
    });
    // There is no other place to tell that this one failed.
    stderr.on("error", () => {});
    replaceClosedTerminals();
}

/** Calls back, with the exit code, when stdout takes no more. */
export function onClosedOutput(listener: (exitCode: 0 | 1) => void): void {
    const { stdout } = process;
    stdout.prependListener("error", (error: SystemError) =>
        listener(isReaderGone(stdout, error) ? 0 : 1)
    );
}

function isReaderGone({ isTTY }: NodeJS.WriteStream, { code }: SystemError): boolean {
    return code === "EPIPE" || (isTTY && code === "EIO");
}

/** At its end Node resets the terminals it was started on, and aborts where one was closed. */
function replaceClosedTerminals(): void {
    const terminals = [0, 1, 2].filter((descriptor) => isatty(descriptor));
    process.on("exit", () => {
        for (const descriptor of terminals) {
            if (isatty(descriptor)) continue;
            closeSync(descriptor);
            // Takes the number that has just become free.
            openSync("/dev/null", "r+");
        }
    });
}
