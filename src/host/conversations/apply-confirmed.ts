import { changesText } from "../../chat/print-changes.js";
import { confirmChangesInTerminal } from "../../chat/questions/ask-in-terminal.js";
import type { PlannedUndo } from "../../plugin/index.js";

interface ConfirmOptions {
    /** Shows the changes without asking. */
    readonly force: boolean;
    print(text: string): void;
}

/** Shows what an undo changes, asks in the terminal, and applies it. `false` where the answer was no. */
export async function applyConfirmed(
    { changeSet, apply }: PlannedUndo,
    question: string,
    { force, print }: ConfirmOptions
): Promise<boolean> {
    const { stdin: input, stdout: output } = process;
    if (force) print(await changesText(changeSet, output, process.env));
    const isWanted =
        force || (await confirmChangesInTerminal(question, changeSet, { input, output }));
    if (isWanted) await apply();
    return isWanted;
}
