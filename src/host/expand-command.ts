import { NorthError } from "../base/north-error.js";
import type { Session } from "../core/session.js";
import { mistypedCommand } from "../core/slash-commands.js";
import type { OutgoingMessage, SlashContext, SlashScreen } from "../plugin/index.js";

const LISTED =
    "Print mode accepts only commands from Markdown files, at the start of the prompt: `north commands` lists them.";

/** What `send` resolves to: a Markdown command does not read the answer. */
const SENT = { stopReason: "end", text: "", costUsd: 0 };

/**
 * Expands a prompt that begins with a Markdown command; other text is returned as it is. Throws
 * `invalid-usage` for commands of the chat, `not-sent` if a command in the Markdown did not run.
 */
export async function expandCommand(
    typed: string,
    session: Pick<Session, "slashCommands" | "services">,
    signal: AbortSignal
): Promise<OutgoingMessage> {
    const commands = session.slashCommands;
    const mistake = mistypedCommand(typed, commands);
    if (mistake !== undefined) throw new NorthError("invalid-usage", mistake, [LISTED]);
    const [name = ""] = typed.match(/(?<=^\/)[a-z][a-z0-9_:.-]*(?=\s|$)/i) ?? [];
    const command = commands.find((each) => each.name === name.toLowerCase());
    if (command === undefined) return { text: typed, typed };
    if (command.origin === undefined) {
        throw new NorthError("invalid-usage", `/${name} works only in the chat.`, [LISTED]);
    }
    const argumentsText = typed.slice(name.length + 1).trim();
    const sent: OutgoingMessage[] = [];
    const said: string[] = [];
    const context: SlashContext = {
        ...session.services,
        commands,
        screen: silentScreen(said, signal),
        send: async (message) => {
            sent.push(message);
            return SENT;
        },
        reviewDraft: async () => SENT,
    };
    await command.run(argumentsText, context);
    const [message] = sent;
    if (message) return message;
    throw new NorthError("not-sent", said.join("\n") || `/${name} sent nothing.`);
}

/** Nobody reads it and nobody answers: questions are denied. */
function silentScreen(said: string[], signal: AbortSignal): SlashScreen {
    const print = (text: string) => void said.push(text);
    const nobody = async () => undefined;
    return {
        print,
        printVerbatim: print,
        pick: nobody,
        ask: nobody,
        choose: nobody,
        edit: async (_name, text) => text,
        confirm: nobody,
        confirmChanges: async () => false,
        showChanges: async () => {},
        async during(_label, work) {
            await work(signal, () => {}).catch((error: unknown) => print(String(error)));
        },
        untilDone: (_label, work) => work(),
        copy: () => Promise.reject(new NorthError("not-copied", "Print mode has no clipboard.")),
        showExchanges: () => {},
        clearScreen: () => {},
        quit: () => {},
    };
}
