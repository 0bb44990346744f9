import type { ChangeSet, Confirmation, Option } from "../../plugin/index.js";
import { NorthError } from "../../base/north-error.js";
import type { BlockSource } from "../terminal/screen.js";
import { loadWidths } from "../terminal/graphemes.js";
import type { QuestionPlace } from "./question.js";
import { text } from "node:stream/consumers";

export interface AskingPlace {
    readonly input: NodeJS.ReadStream;
    readonly output: NodeJS.WriteStream;
}

export function canAsk({ input, output }: AskingPlace): boolean {
    return Boolean(input.isTTY && output.isTTY);
}

/** Asks to pick an option; `undefined` on Ctrl+C or Escape. */
export async function pickInTerminal(
    title: string,
    options: readonly Option[],
    place: AskingPlace
): Promise<string | undefined> {
    const { pick } = await import("./pick.js");
    return inTerminal(place, (where, signal) => pick(where, place.output, title, options, signal));
}

/** A yes needs Enter. Rejects with `not-a-terminal`, naming `flag`, if nobody can answer. */
export async function confirmInTerminal(
    question: string,
    place: AskingPlace,
    { flag = "--force", ...confirmation }: Confirmation & { readonly flag?: string } = {}
): Promise<boolean> {
    mustAsk(place, flag);
    const { confirm } = await import("./confirm.js");
    const isWanted = await inTerminal(place, (where, signal) =>
        confirm(where, question, { lasts: true, ...confirmation }, signal)
    );
    return isWanted ?? false;
}

/** Like `confirmInTerminal`, and shows the changes. */
export async function confirmChangesInTerminal(
    question: string,
    changeSet: ChangeSet,
    place: AskingPlace
): Promise<boolean> {
    mustAsk(place, "--force");
    const { confirmChanges } = await import("./confirm.js");
    return inTerminal(place, (where, signal) => confirmChanges(where, question, changeSet, signal));
}

function mustAsk(place: AskingPlace, flag: string): void {
    if (canAsk(place)) return;
    throw new NorthError(
        "not-a-terminal",
        "This needs a confirmation, and there is no terminal to ask in.",
        [`Add ${flag} to skip the question.`]
    );
}

/** Opens the terminal for one question, as the chat does. */
async function inTerminal<Value>(
    place: AskingPlace,
    work: (place: QuestionPlace, signal: AbortSignal) => Promise<Value>
): Promise<Value> {
    const { Terminal } = await import("../terminal/terminal.js");
    await loadWidths();
    const terminal = new Terminal({ ...place, environment: process.env });
    const { screen } = terminal;
    terminal.open();
    try {
        const view = {
            columns: screen.columns - 1,
            hasDraft: false,
            setQuestion: (question: BlockSource | undefined) => {
                screen.setBlock((columns, rows) => {
                    const block = question?.(columns, rows) ?? { rows: [] };
                    return { ...block, asked: question ? `${block.rows.join("\n")} ` : "" };
                });
                screen.refresh();
            },
            print: (text: string) => screen.print(text),
            printVerbatim: (lines: readonly string[]) => screen.print(lines.join("\n")),
        };
        const answer = await work({ terminal, view }, terminal.gone);
        await screen.flush();
        return answer;
    } finally {
        terminal.close();
    }
}

/** Asks for a secret without echo, or reads it from a pipe. */
export async function askSecret(question: string, place: AskingPlace): Promise<string> {
    const secret = place.input.isTTY ? await askHidden(question, place) : await text(place.input);
    if (secret.trim() !== "") return secret.trim();
    throw new NorthError("no-key", "No key given; nothing changed.", [
        "Type or paste it when asked, or pipe it in: `north login < keyfile`.",
    ]);
}

async function askHidden(question: string, place: AskingPlace): Promise<string> {
    const { password } = await import("@inquirer/prompts");
    try {
        return await password({ message: question, mask: true }, { ...place });
    } catch {
        // Ctrl+C counts as an empty secret.
        return "";
    }
}
