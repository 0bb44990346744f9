import type { Session } from "../core/session.js";
import type { ChangeSet, SlashContext, SlashScreen } from "../plugin/index.js";
import { diffLines } from "./render/diff/diff-lines.js";
import { confirm, confirmChanges } from "./questions/confirm.js";
import type { LiveView } from "./live-view.js";
import { askUserQuestion } from "./questions/user-question.js";
import { ask } from "./questions/ask.js";
import { CANCELLED } from "./questions/question.js";
import { pick } from "./questions/pick.js";
import { exchangeLines } from "./render/exchanges.js";
import { runSlashLine } from "../core/slash-commands.js";
import { safeLine, showControls, stripControls, visibleLine } from "../base/safe-text.js";
import type { Theme } from "./terminal/theme.js";
import { editText } from "./terminal/programs.js";
import type { Terminal } from "./terminal/terminal.js";

export interface SlashRunnerOptions {
    readonly session: Session;
    readonly terminal: Terminal;
    readonly view: LiveView;
    /** Runs cancellable work like a turn, and shows its error. */
    during<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result | undefined>;
    readonly send: SlashContext["send"];
    readonly reviewDraft: SlashContext["reviewDraft"];
    readonly ended: AbortSignal;
    describeError(error: unknown): string;
    /** Puts a line whose message was not sent back into the composer. */
    keep(input: string): void;
    quit(): void;
}

const SHOWN_EXCHANGES = 3;

export function slashContext(options: SlashRunnerOptions): SlashContext {
    const { session, send, reviewDraft } = options;
    const { services, slashCommands: commands } = session;
    return { ...services, commands, send, reviewDraft, screen: slashScreen(options) };
}

function slashScreen(options: SlashRunnerOptions): SlashScreen {
    const { session, terminal, view, quit, ended } = options;
    const place = { terminal, view };
    return {
        isLineTerminal: terminal.isLineTerminal,
        print: (text) => view.print(showControls(text)),
        async pick(title, choices) {
            const chosen = await pick(place, title, choices, ended);
            if (chosen === undefined && choices.length > 0) {
                view.print(terminal.theme.quiet("[Cancelled]"));
            }
            return chosen;
        },
        ask: async (question) => {
            const answer = await askUserQuestion(place, question, ended);
            return answer === CANCELLED ? undefined : answer;
        },
        during: (label, work) => during(label, work, options),
        async untilDone(label, work) {
            const text = terminal.theme.quiet(safeLine(label));
            view.setActivities([{ label: text, since: Date.now(), isUncancellable: true }]);
            return work().finally(() => view.setActivities([]));
        },
        printVerbatim: (text) => view.printVerbatim(stripControls(text).split("\n")),
        showChanges: (changeSet) => showChanges(changeSet, view, terminal.theme),
        async choose(question, choices) {
            const answer = await ask(place, { title: visibleLine(question), choices }, ended);
            return answer === CANCELLED ? undefined : answer.letter;
        },
        edit: (name, text) => editText(terminal, name, text),
        confirm: (question, extent = {}) => confirm(place, question, extent, ended),
        confirmChanges: (question, changeSet) =>
            confirmChanges(place, `${question}?`, changeSet, ended),
        copy: async (text) => (await import("./terminal/clipboard.js")).copy(text, terminal),
        showExchanges: () => showExchanges(session, view, terminal.theme),
        clearScreen: () => terminal.screen.clear(),
        quit,
    };
}

export function showExchanges(session: Session, view: LiveView, theme: Theme): void {
    const { entries, conversationId: id } = session;
    view.printVerbatim(
        exchangeLines(entries, theme, { id, last: SHOWN_EXCHANGES, columns: view.columns })
    );
}

async function during<Result>(
    label: string,
    work: (signal: AbortSignal, show: (label: string) => void) => Promise<Result>,
    { view, terminal, during: run }: SlashRunnerOptions
): Promise<Result | undefined> {
    const { theme } = terminal;
    const since = Date.now();
    const show = (text: string): void =>
        view.setActivities(
            text.split("\n").map((line) => ({ label: theme.quiet(safeLine(line)), since }))
        );
    return run(async (signal) => {
        show(label);
        try {
            return await work(signal, show);
        } catch (error) {
            if (!signal.aborted) throw error;
            view.print(theme.quiet(`[Cancelled] ${safeLine(label)}`));
            return undefined;
        } finally {
            view.setActivities([]);
        }
    });
}

async function showChanges(changeSet: ChangeSet, view: LiveView, theme: Theme): Promise<void> {
    const { diffsOf } = await import("../core/diff/diff.js");
    const { loadDiffDetails } = await import("./render/diff/diff-details.js");
    const details = await loadDiffDetails(changeSet, theme);
    const style = { theme, details, columns: view.columns };
    view.printVerbatim(diffLines(diffsOf(changeSet), style));
}

/** Runs a line's commands. Resolves with the message for the model, empty if one failed. */
export function runSlashCommands(
    input: string,
    context: SlashContext,
    { session, terminal: { theme }, view, ended, describeError, keep }: SlashRunnerOptions
): Promise<string> {
    return runSlashLine(input, {
        session,
        context,
        signal: ended,
        advise: (correction) => view.print(theme.warning(correction)),
        note: (hint) => view.print(theme.quiet(hint)),
        fail: (error, unsent) => {
            view.print(describeError(error));
            if (unsent !== "") keep(input);
        },
    });
}
