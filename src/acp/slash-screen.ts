import { randomUUID } from "node:crypto";
import type { ToolCallContent } from "@agentclientprotocol/sdk";
import { NorthError } from "../base/north-error.js";
import { showControls, visibleLine } from "../base/safe-text.js";
import { fenced } from "../core/files/fence.js";
import { runSlashLine } from "../core/slash-commands.js";
import type { ChangeSet, SlashCommand, SlashContext, SlashScreen } from "../plugin/index.js";
import { askOutsideCall, choose, inquire, YES } from "./approver.js";
import { sentencesOf } from "./editor-client.js";
import { outputContent, proposalContent } from "./tool-content.js";
import type { TurnContext } from "./turn-updates.js";

/** Max choices offered. Further values can still be passed as an argument. */
const MAX_CHOICES = 20;

/** Commands that work without a terminal. */
export function offeredCommands(commands: readonly SlashCommand[]): readonly SlashCommand[] {
    return commands.filter(({ onlyInTerminal }) => !onlyInTerminal);
}

const NO_EDITOR = "It cannot be edited here. Say in a message what to change.";

type SlashTurnContext = TurnContext & Pick<SlashContext, "send" | "reviewDraft">;

/** Runs the slash commands in a message. Resolves with the rest, which goes to the model. */
export async function runSlashCommands(
    text: string,
    turn: SlashTurnContext,
    signal: AbortSignal
): Promise<string> {
    const { session, send, reviewDraft } = turn;
    const commands = offeredCommands(session.slashCommands);
    const screen = slashScreen(turn, signal);
    const [, first] = /^\s*\/(\S+)/.exec(text) ?? [];
    if (
        session.slashCommands.some(({ name, onlyInTerminal }) => onlyInTerminal && name === first)
    ) {
        screen.print(`/${first} works only in North's own chat, in a terminal.`);
        return "";
    }
    const context: SlashContext = { ...session.services, commands, screen, send, reviewDraft };
    return runSlashLine(text, {
        session,
        context,
        signal,
        advise: screen.print,
        note: screen.print,
        fail: (error) => screen.print(sentencesOf(error)),
    });
}

function slashScreen({ client, editorRoot }: SlashTurnContext, signal: AbortSignal): SlashScreen {
    const say = (text: string): void => {
        const content = { type: "text", text: `${text}\n\n` } as const;
        void client.send({ sessionUpdate: "agent_message_chunk", content });
    };
    const verbatim = (text: string): void => say(fenced(showControls(text)));
    const agrees = async (title: string, content: readonly ToolCallContent[]): Promise<boolean> =>
        (await askOutsideCall(client, { title, content, options: [YES] }, signal)) === YES.optionId;
    const changes = async (changeSet: ChangeSet): Promise<ToolCallContent[]> => {
        const { diffsOf } = await import("../core/diff/diff.js");
        return proposalContent(editorRoot, changeSet, diffsOf(changeSet));
    };
    return {
        print: (text) => (text.includes("\n") ? verbatim(text) : say(showControls(text))),
        printVerbatim: verbatim,
        async pick(title, options) {
            const offered = options.slice(0, MAX_CHOICES);
            const choices = offered.map(({ value, label = value, description, isCurrent }) =>
                [label, description, isCurrent && "current"].filter(Boolean).join(" · ")
            );
            const chosen = await choose(client, title, choices, signal);
            return chosen === undefined ? undefined : offered[chosen]?.value;
        },
        ask: (question) => inquire(client, question, signal),
        async showChanges(changeSet) {
            const content = await changes(changeSet);
            const call = { toolCallId: randomUUID(), title: "Changes", kind: "edit" } as const;
            await client.call({ ...call, content, status: "completed" });
        },
        async choose(question, choices) {
            const labels = choices.map(({ label }) => label);
            const chosen = await choose(client, question, labels, signal);
            return chosen === undefined ? undefined : choices[chosen]?.letter;
        },
        edit: () => Promise.reject(new NorthError("editor-failed", NO_EDITOR)),
        async confirm(question, { details = [] } = {}) {
            const content = details.length > 0 ? [outputContent(details.join("\n"))] : [];
            return agrees(visibleLine(question), content);
        },
        confirmChanges: async (question, changeSet) =>
            agrees(`${question}?`, await changes(changeSet)),
        async during(label, work) {
            await client.notice(label);
            try {
                return await work(signal, () => {});
            } catch (error) {
                say(signal.aborted ? `Cancelled: ${label}` : sentencesOf(error));
                return undefined;
            }
        },
        untilDone: (_label, work) => work(),
        // The editor owns the display and the end of a conversation.
        copy: () =>
            Promise.reject(
                new NorthError("not-copied", "In an editor, select the answer and copy it.")
            ),
        showExchanges: () => {},
        clearScreen: () => {},
        quit: () => {},
    };
}
