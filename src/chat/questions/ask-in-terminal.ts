import type { ChangeSet, Confirmation, Option } from "../../plugin/index.js";
import { NorthError } from "../../base/north-error.js";
import type { BlockSource } from "../terminal/screen.js";
import { loadWidths } from "../terminal/graphemes.js";
import type { Prompt } from "./question.js";
import { text } from "node:stream/consumers";

interface TerminalStreams {
    readonly stdin: NodeJS.ReadStream;
    readonly stdout: NodeJS.WriteStream;
}

export function canAsk({ stdin, stdout }: TerminalStreams = process): boolean {
    return Boolean(stdin.isTTY && stdout.isTTY);
}

/** Asks to pick an option; `undefined` on Ctrl+C or Escape. */
export async function pickInTerminal(
    title: string,
    options: readonly Option[]
): Promise<string | undefined> {
    const { pick } = await import("./pick.js");
    return inTerminal(process, (where, signal) => pick(where, title, options, signal));
}

/** A yes needs Enter. Without a terminal it rejects with `not-a-terminal`, naming `flag`. */
export async function confirmInTerminal(
    question: string,
    { flag = "--force", ...confirmation }: Confirmation & { readonly flag?: string } = {},
    streams: TerminalStreams = process
): Promise<boolean> {
    requireTerminal(flag, streams);
    const { confirm } = await import("./confirm.js");
    const isWanted = await inTerminal(streams, (where, signal) =>
        confirm(where, question, { lasts: true, ...confirmation }, signal)
    );
    return isWanted ?? false;
}

/** Like `confirmInTerminal`, and shows the changes. */
export async function confirmChangesInTerminal(
    question: string,
    changeSet: ChangeSet
): Promise<boolean> {
    requireTerminal();
    const { confirmChanges } = await import("./confirm.js");
    return inTerminal(process, (where, signal) =>
        confirmChanges(where, question, changeSet, signal)
    );
}

/** Throws `not-a-terminal`, naming the flag that skips the question. */
export function requireTerminal(flag = "--force", streams: TerminalStreams = process): void {
    if (canAsk(streams)) return;
    throw new NorthError(
        "not-a-terminal",
        "This needs a confirmation, and there is no terminal to ask in.",
        [`Add ${flag} to skip the question.`]
    );
}

/** Opens the terminal for questions, as the chat does. */
export async function inTerminal<Value>(
    { stdin: input, stdout: output }: TerminalStreams,
    work: (prompt: Prompt, signal: AbortSignal) => Promise<Value>
): Promise<Value> {
    const { Terminal } = await import("../terminal/terminal.js");
    await loadWidths();
    const terminal = new Terminal({ input, output, environment: process.env });
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
export async function askSecret(question: string, streams: TerminalStreams): Promise<string> {
    const { stdin } = streams;
    const secret = stdin.isTTY ? await askHidden(question, streams) : await text(stdin);
    if (secret.trim() !== "") return secret.trim();
    throw new NorthError("no-key", "No key given; nothing changed.", [
        "Type or paste it when asked, or pipe it in: `north login < keyfile`.",
    ]);
}

async function askHidden(
    message: string,
    { stdin: input, stdout: output }: TerminalStreams
): Promise<string> {
    const { password } = await import("@inquirer/prompts");
    try {
        return await password({ message, mask: true }, { input, output });
    } catch {
        // Ctrl+C counts as an empty secret.
        return "";
    }
}
