/** Shows a spinner on a terminal until `work` ends. `update` changes its text. */
export async function withSpinner<Result>(
    text: string,
    work: (update: (text: string) => void) => Promise<Result>,
    stream: NodeJS.WritableStream & { readonly isTTY?: boolean } = process.stderr
): Promise<Result> {
    if (!stream.isTTY) return work(() => {});
    const { default: ora } = await import("ora");
    // Leave stdin alone: what is typed meanwhile belongs to the shell.
    const spinner = ora({ text, stream, discardStdin: false }).start();
    try {
        return await work((changed) => (spinner.text = changed));
    } finally {
        spinner.stop();
    }
}
