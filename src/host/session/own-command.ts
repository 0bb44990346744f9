import type { ShellOutcome, ShellRunOptions } from "../../plugin/index.js";
import { OWN_OUTPUT_LINES } from "../../core/session.js";
import type { ConversationSession } from "./session.js";

/** Max characters of a command's output sent to the model, half from each end. */
const TOLD_CHARACTERS = 8000;

/** Runs the user's own command without asking, in the shell that the model's commands share. */
export async function runOwnCommand(
    session: ConversationSession,
    command: string,
    options: ShellRunOptions
): Promise<ShellOutcome> {
    const { project, runtime } = session.options;
    const outcome = await project.shell.run(command, options);
    await session.conversation.begin();
    const entry = { id: runtime.id(), at: runtime.now(), name: "!", argumentsText: command };
    const output = outputOf(outcome);
    const isCut = output.split("\n").length > OWN_OUTPUT_LINES;
    const wholeHash = isCut ? await project.keepText(output) : undefined;
    const kept = wholeHash === undefined ? {} : { wholeHash };
    const record = {
        type: "entry_added",
        entry: { kind: "command", ...entry, told: noteForModel(command, outcome), ...kept },
    } as const;
    session.conversation.record(record);
    return outcome;
}

function outputOf({ stdout, stderr }: ShellOutcome): string {
    return [stdout, stderr]
        .filter((text) => text !== "")
        .map((text) => text.replace(/\n$/, ""))
        .join("\n");
}

function noteForModel(command: string, outcome: ShellOutcome): string {
    const { exitCode, cancelled } = outcome;
    const output = outputOf(outcome);
    const end = cancelled ? "was stopped by the user" : `ended with exit code ${exitCode}`;
    const what = `The user ran a command in the shell, which ${end}: ${command}`;
    return output === "" ? what : `${what}\nIts output:\n${middleCut(output)}`;
}

function middleCut(text: string): string {
    if (text.length <= TOLD_CHARACTERS) return text;
    const half = TOLD_CHARACTERS / 2;
    const left = text.length - TOLD_CHARACTERS;
    return `${text.slice(0, half)}\n[${left} characters left out]\n${text.slice(-half)}`;
}
