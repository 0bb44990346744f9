/**
 * Shows a spinner on a terminal until `work` ends, from `delayMs` on. `update` changes its text.
 */
export async function withSpinner<Result>(
    text: string,
    work: (update: (text: string) => void) => Promise<Result>,
    stream: NodeJS.WritableStream & { readonly isTTY?: boolean } = process.stderr,
    delayMs = 0
): Promise<Result> {
    if (!stream.isTTY) return work(() => {});
    const { default: ora } = await import("ora");
    // Leave stdin alone: what is typed meanwhile belongs to the shell.
    const spinner = ora({ text, stream, discardStdin: false });
    const timer = delayMs > 0 ? setTimeout(() => spinner.start(), delayMs) : undefined;
    if (!timer) spinner.start();
    try {
        return await work((changed) => (spinner.text = changed));
    } finally {
        clearTimeout(timer);
        // Otherwise it would show the cursor, which it has not hidden.
        if (spinner.isSpinning) spinner.stop();
    }
}
