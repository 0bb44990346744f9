import { truncateMiddle } from "../../base/format.js";
import type { ShellOutcome } from "../../plugin/index.js";
import type { Secrets } from "../../core/agent/turn.js";
import { OWN_OUTPUT_LINES } from "../../core/session.js";

/** Max characters of a command's output sent to the model, half from each end. */
const MAX_NOTE_CHARACTERS = 8000;

/** What the model reads of the user's own command; `whole` is the output if the screen cuts it. */
export function ownCommandNote(
    command: string,
    outcome: ShellOutcome,
    secrets: Pick<Secrets, "text">
) {
    // Before it is cut, which could leave half a secret.
    const output = secrets.text(outputOf(outcome));
    const isCut = output.split("\n").length > OWN_OUTPUT_LINES;
    return { note: noteForModel(command, outcome, output), whole: isCut ? output : undefined };
}

function outputOf({ stdout, stderr }: ShellOutcome): string {
    return [stdout, stderr]
        .filter((text) => text !== "")
        .map((text) => text.replace(/\n$/, ""))
        .join("\n");
}

function noteForModel(
    command: string,
    { exitCode, cancelled }: ShellOutcome,
    output: string
): string {
    const end = cancelled ? "was stopped by the user" : `ended with exit code ${exitCode}`;
    const what = `The user ran a command in the shell, which ${end}: ${command}`;
    return output === ""
        ? what
        : `${what}\nIts output:\n${truncateMiddle(output, MAX_NOTE_CHARACTERS)}`;
}
