import type { PickerOption } from "../../plugin/index.js";
import { NorthError } from "../../base/north-error.js";
import { searchAmong } from "./pick.js";
import { safeLine } from "../terminal/safe-text.js";

/** Where a question is asked by a command that is no chat. */
export interface AskingPlace {
    readonly input: NodeJS.ReadStream;
    readonly output: NodeJS.WriteStream;
}

/** Whether somebody is there to answer. */
export function canAsk({ input, output }: AskingPlace): boolean {
    return Boolean(input.isTTY && output.isTTY);
}

/** Lets the user choose with a search; `undefined` on Ctrl+C and Escape. */
export async function pickInTerminal(
    title: string,
    options: readonly PickerOption[],
    place: AskingPlace
): Promise<string | undefined> {
    const { search } = await import("@inquirer/prompts");
    const cancel = new AbortController();
    const onKey = (_text: unknown, key: { readonly name?: string }): void => {
        if (key.name === "escape") cancel.abort();
    };
    place.input.on("keypress", onKey);
    const context = { ...place, clearPromptOnDone: true, signal: cancel.signal };
    try {
        return await unlessLeft(search(searchAmong(options, title, place.output), context));
    } finally {
        place.input.off("keypress", onKey);
    }
}

/**
 * Asks for a yes; everything else is a no. Rejects with `not-a-terminal` where nobody can answer,
 * naming `--force`.
 */
export async function confirmInTerminal(question: string, place: AskingPlace): Promise<boolean> {
    if (!canAsk(place)) {
        throw new NorthError(
            "not-a-terminal",
            "This is asked about, and nobody is here to answer.",
            ["Give --force to do it without being asked."]
        );
    }
    const { confirm } = await import("@inquirer/prompts");
    const answer = confirm({ message: safeLine(question), default: false }, { ...place });
    return (await unlessLeft(answer)) ?? false;
}

/** `undefined` where the user has left the question. */
async function unlessLeft<Value>(answer: Promise<Value>): Promise<Value | undefined> {
    try {
        return await answer;
    } catch (error) {
        const { name } = error instanceof Error ? error : {};
        if (name === "ExitPromptError" || name === "AbortPromptError") return undefined;
        throw error;
    }
}
