import type { ChangeSet, Confirmation, Option } from "../../plugin/index.js";
import { NorthError } from "../../base/north-error.js";
import type { QuestionSource } from "../live-view.js";
import type { Block } from "../terminal/block.js";
import { loadWidths } from "../terminal/graphemes.js";
import type { ConfirmPlace } from "./confirm.js";
import { searchAmong } from "./pick.js";

/** The terminal of a command outside the chat. */
export interface AskingPlace {
    readonly input: NodeJS.ReadStream;
    readonly output: NodeJS.WriteStream;
}

/** Whether a user can answer. */
export function canAsk({ input, output }: AskingPlace): boolean {
    return Boolean(input.isTTY && output.isTTY);
}

/** Shows a searchable picker; `undefined` on Ctrl+C and Escape. */
export async function pickInTerminal(
    title: string,
    options: readonly Option[],
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
 * Asks yes or no; a yes needs Enter. Rejects with `not-a-terminal`, naming `flag`, if nobody can
 * answer.
 */
export async function confirmInTerminal(
    question: string,
    place: AskingPlace,
    { flag = "--force", ...confirmation }: Confirmation & { readonly flag?: string } = {}
): Promise<boolean> {
    const { confirm } = await import("./confirm.js");
    return inTerminal(place, flag, (where, signal) =>
        confirm(where, question, { lasts: true, ...confirmation }, signal)
    );
}

/** The same for changes, which are shown with the question. */
export async function confirmChangesInTerminal(
    question: string,
    changeSet: ChangeSet,
    place: AskingPlace
): Promise<boolean> {
    const { confirmChanges } = await import("./confirm.js");
    return inTerminal(place, "--force", (where, signal) =>
        confirmChanges(where, question, changeSet, signal)
    );
}

/** Opens the terminal for one question, as the chat does. */
async function inTerminal(
    place: AskingPlace,
    flag: string,
    work: (place: ConfirmPlace, signal: AbortSignal) => Promise<boolean | undefined>
): Promise<boolean> {
    if (!canAsk(place)) {
        throw new NorthError(
            "not-a-terminal",
            "This needs a confirmation, and there is no terminal to ask in.",
            [`Add ${flag} to skip the question.`]
        );
    }
    const { Terminal } = await import("../terminal/terminal.js");
    await loadWidths();
    const terminal = new Terminal({ ...place, environment: process.env });
    const { screen } = terminal;
    const nothing: Block = { rows: [] };
    terminal.open();
    try {
        const view = {
            hasDraft: false,
            setQuestion: (question: QuestionSource | undefined) => {
                screen.setBlock((columns, rows) => {
                    const block = question?.(columns, rows) ?? nothing;
                    return { ...block, asked: question ? `${block.rows.join("\n")} ` : "" };
                });
                screen.refresh();
            },
            print: (text: string) => screen.print(text),
            printVerbatim: (lines: readonly string[]) => screen.print(lines.join("\n")),
        };
        const isWanted = await work({ terminal, view }, terminal.gone);
        await screen.flush();
        return isWanted ?? false;
    } finally {
        terminal.close();
    }
}

/** `undefined` if the user cancelled the question. */
async function unlessLeft<Value>(answer: Promise<Value>): Promise<Value | undefined> {
    try {
        return await answer;
    } catch (error) {
        const { name } = error instanceof Error ? error : {};
        if (name === "ExitPromptError" || name === "AbortPromptError") return undefined;
        throw error;
    }
}
