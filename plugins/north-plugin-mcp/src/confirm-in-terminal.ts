import { NorthError } from "north-cli/plugin";

/** Everything but a yes is a no. Rejects with a `NorthError` where nobody can answer. */
export async function confirmInTerminal(question: string): Promise<boolean> {
    const { stdin: input, stdout: output } = process;
    if (!input.isTTY || !output.isTTY) {
        throw new NorthError("not-a-terminal", "Nothing was allowed: nobody is here to say yes.", [
            "Read what is shown above, then give --yes to allow it without being asked.",
        ]);
    }
    const { createInterface } = await import("node:readline/promises");
    const lines = createInterface({ input, output });
    // Ctrl+C and Ctrl+D close it without an answer.
    const left = new Promise<string>((resolve) => lines.once("close", () => resolve("")));
    try {
        const answer = await Promise.race([lines.question(`${question} (y/N) `), left]);
        return /^y(es)?$/i.test(answer.trim());
    } finally {
        lines.close();
    }
}
