import { sleep, whenAborted } from "../base/waiting.js";
import { typeable } from "../base/north-command.js";
import { isExpectedError } from "../base/north-error.js";
import type { Job, OutgoingMessage, SentTurn, SlashContext } from "../plugin/index.js";
import type { ChatOptions, OpenedChat } from "./chat-options.js";
import { createTerminalApprover } from "./questions/terminal-approver.js";
import { slashCompleter } from "./composer/completion.js";
import { FileCompleter } from "./composer/file-completer.js";
import { describeError, logPathOf } from "./describe-error.js";
import type { InputArea } from "./input-area.js";
import type { Input } from "../core/session.js";
import { ownCommandIn, runOwnCommand } from "./own-command.js";
import { jobEnd, mayEndJobs } from "./running-jobs.js";
import { echoOf } from "./render/echo.js";
import { loadMeasures } from "./render/exchanges.js";
import {
    runSlashCommands,
    showExchanges,
    slashContext,
    type SlashRunnerOptions,
} from "./slash-runner.js";
import { mistypedCommand } from "../core/slash-commands.js";
import { parseSlashLine } from "../core/slash-line.js";
import { MODE_IDS } from "../plugin/modes.js";
import { loadWidths } from "./terminal/graphemes.js";
import { stripControls } from "../base/safe-text.js";
import { StatusArea } from "./status-area.js";
import { editText } from "./terminal/programs.js";
import { PastedImages } from "./pasted-images.js";
import { TurnRunner } from "./turn-runner.js";

const END_GRACE_MS = 500;

/** After this long the user may have switched to another window: notify them. */
const LONG_TURN_MS = 10_000;

/** What exits a shell exits the chat, and `?` is what other assistants call help. */
const COMMAND_WORDS = new Map([
    ["exit", "/quit"],
    ["quit", "/quit"],
    ["?", "/help"],
]);

/** One chat in one terminal. Routes input to commands and turns, in order. */
export class Chat {
    private readonly files: FileCompleter;
    private readonly status: StatusArea;
    private readonly turns: TurnRunner;
    private readonly slash: SlashRunnerOptions;
    private readonly context: SlashContext;
    private readonly images = new PastedImages();
    /** Input that the terminal has already echoed. */
    private shown: string | undefined;
    private lastEcho = "";
    private isAskingToQuit = false;

    constructor(
        private readonly area: InputArea,
        private readonly options: OpenedChat & ChatOptions,
        private readonly ended: AbortSignal
    ) {
        const { session } = options;
        const { view, terminal } = area;
        const { theme } = terminal;
        this.status = new StatusArea(options, view, theme);
        this.files = new FileCompleter(() => session.listFiles());
        this.slash = {
            session,
            terminal,
            view,
            ended,
            quit: () => void this.quit(),
            during: (work) => this.turns.during(work),
            send: (message) => this.send(message),
            reviewDraft: () => this.runTurn({ text: "", isDraftReview: true }),
            describeError: (error) => this.describe(error),
            keep: (text) => {
                // A line terminal cannot show it again.
                if (!this.area.terminal.isLineTerminal) this.area.composer.prepend(text, true);
            },
        };
        this.context = slashContext(this.slash);
        this.turns = new TurnRunner({
            ...this.slash,
            theme,
            queue: {
                peek: () => this.nextMessage(),
                take: (input) => this.area.inputs.take(input),
            },
            statusChanged: () => this.status.show(),
            attachedTo: (text) => this.images.in(text),
            approver: createTerminalApprover({
                terminal,
                view,
                root: session.root,
                allowedCommands: () => session.services.permissions.approvals.allowedCommands(),
                notify: () => this.notify("waiting for your decision."),
                cancelTurn: () => this.interrupt(),
            }),
        });
    }

    async run(): Promise<void> {
        const { session, notices = [], initialPrompt } = this.options;
        if (session.entries.length > 0) {
            await loadMeasures();
            showExchanges(session, this.area.view, this.area.terminal.theme);
        }
        // A line terminal prints a prompt once, so its first one waits for the whole status.
        this.area.composer.isBusy = this.area.terminal.isLineTerminal;
        for (const notice of notices) this.area.view.print(stripControls(typeable(notice)));
        await this.status.tellAutomatic();
        if (this.area.terminal.isLineTerminal) await this.status.showAll();
        this.area.composer.isBusy = false;
        this.connectComposer();
        session.watchJobs((job) => this.tellJob(job));
        if (!this.area.terminal.isLineTerminal) this.status.show();
        this.loadLate();
        await Promise.race([this.loop(initialPrompt), this.awaitEnd()]);
    }

    private async loop(initialPrompt: string | undefined): Promise<void> {
        if (initialPrompt !== undefined) this.area.inputs.push(initialPrompt);
        for (;;) {
            const input = await this.area.inputs.next();
            if (input === undefined || this.ended.aborted) return;
            this.area.composer.isBusy = true;
            await this.handle(input);
            const quits = this.area.composer.endWork();
            if (quits && this.area.inputs.peek() === undefined) void this.quit();
            this.files.expire();
            this.status.show();
            // Draw now, not with the next frame: the user waits for the prompt.
            this.area.terminal.screen.draw();
        }
    }

    private echo(text: string): void {
        if (text !== this.shown) this.area.view.print(echoOf(text, this.area.terminal.theme));
        this.shown = undefined;
        this.lastEcho = text;
    }

    private async runCommands(text: string): Promise<string> {
        const message = await runSlashCommands(text, this.context, this.slash);
        this.status.show();
        return message;
    }

    /** Whether the text consists only of commands that may run during a turn. */
    private onlyShows(text: string): boolean {
        const commands = this.options.session.slashCommands;
        const { invocations, message, unknown } = parseSlashLine(text, commands);
        if (invocations.length === 0 || message !== "" || unknown.length > 0) return false;
        return invocations.every(
            ({ name }) => commands.find((command) => command.name === name)?.onlyShows === true
        );
    }

    /** The next queued message, if it is plain text for the model. */
    private nextMessage(): Input | undefined {
        const input = this.area.inputs.peek();
        if (input === undefined || ownCommandIn(input.text) !== undefined) return undefined;
        // A message with an image starts its own turn.
        if (this.images.in(input.typed).length > 0) return undefined;
        const commands = this.options.session.slashCommands;
        const { invocations, unknown } = parseSlashLine(input.text, commands);
        return invocations.length + unknown.length > 0 ? undefined : input;
    }

    private async handle({ text, typed }: Input): Promise<void> {
        this.echo(text);
        const command = ownCommandIn(text);
        if (command !== undefined) {
            const { session } = this.options;
            const place = { session, view: this.area.view, theme: this.area.terminal.theme };
            return this.turns.during((signal) => runOwnCommand(command, place, signal));
        }
        const message = await this.runCommands(text);
        if (message === "" || this.area.inputs.isClosed) return;
        const { mode } = this.context.session;
        const isPlanning = mode.current() === "plan";
        await this.runTurn({ text: message, typed: typed === text ? message : typed });
        const isAsked = isPlanning && this.context.conversation.plan()?.state === "answer";
        if (isAsked) await this.runCommands("/plan");
    }

    private async runTurn(message: Parameters<TurnRunner["run"]>[0]): Promise<SentTurn> {
        const start = performance.now();
        const turn = await this.turns.run(message);
        const isLong = performance.now() - start >= LONG_TURN_MS;
        if (isLong && turn.stopReason !== "cancelled") this.notify("the answer is complete.");
        return turn;
    }

    private send(message: OutgoingMessage): Promise<SentTurn> {
        // `/plan TASK` sends what is in sight already.
        if (!this.lastEcho.endsWith(` ${message.text}`)) this.echo(message.text);
        this.lastEcho = "";
        return this.runTurn(message);
    }

    private notify(what: string): void {
        const { notify = "off", session } = this.options;
        this.area.terminal.notify(notify, `${session.status().projectName}: ${what}`);
    }

    private connectComposer(): void {
        const { session, history } = this.options;
        this.area.connect(
            {
                submit: (line, typed) => {
                    const text = COMMAND_WORDS.get(line) ?? line;
                    if (this.refuses(text, typed)) return;
                    if (this.area.terminal.isLineTerminal && !this.area.composer.isBusy) {
                        this.shown = text;
                    }
                    if (this.area.composer.isBusy && this.onlyShows(text)) {
                        this.echo(text);
                        void this.runCommands(text);
                    } else {
                        this.area.inputs.push(text, typed);
                    }
                    // Best effort: the chat works without a history.
                    history?.append(text).catch((error: unknown) => this.options.onBug?.(error));
                },
                interrupt: () => this.interrupt(),
                recallQueued: () => this.takeBack(),
                quit: () => void this.quit(),
                toggleMode: () => this.toggleMode(),
                clearScreen: () => this.area.terminal.screen.clear(),
                openEditor: (draft) => void this.editDraft(draft),
                pasteImage: () => void this.pasteImage(),
                changed: () => this.area.view.refresh(),
            },
            // A line terminal shows no completion list, and a hidden list must not take Enter.
            this.area.terminal.isLineTerminal
                ? []
                : [slashCompleter(session.slashCommands, () => this.context), this.files.complete],
            this.area.terminal.isLineTerminal ? "emacs" : this.options.editingMode
        );
    }

    /** Keeps a mistyped command in the line, with a suggestion, instead of paying for a turn. */
    private refuses(text: string, typed: string): boolean {
        const mistake = mistypedCommand(text, this.options.session.slashCommands);
        // A line terminal has echoed the line already.
        if (mistake === undefined || this.area.terminal.isLineTerminal) return false;
        this.area.view.print(this.area.terminal.theme.warning(mistake));
        this.area.composer.prepend(text, typed !== text);
        return true;
    }

    private async quit(): Promise<void> {
        // A second question would outlive the chat.
        if (this.isAskingToQuit) return;
        this.isAskingToQuit = true;
        const mayQuit = this.ended.aborted || (await mayEndJobs(this.context));
        this.isAskingToQuit = false;
        if (!mayQuit) return;
        this.turns.cancel();
        this.area.inputs.close();
    }

    private tellJob(job: Job): void {
        const end = jobEnd(job);
        if (end !== undefined) this.area.view.print(this.area.terminal.theme.quiet(end));
        this.status.show();
    }

    private async editDraft(draft: string): Promise<void> {
        try {
            this.area.composer.setText(await editText(this.area.terminal, "message.md", draft));
        } catch (error) {
            this.area.view.print(this.describe(error));
        }
    }

    private async pasteImage(): Promise<void> {
        const { clipboardImage } = await import("./terminal/clipboard.js");
        const image = await clipboardImage(this.area.terminal.environment);
        if (image) {
            this.area.composer.insert(`${this.images.add(image)} `);
        } else {
            this.area.view.print(
                this.area.terminal.theme.quiet("There is no image on the clipboard.")
            );
        }
    }

    private takeBack(): boolean {
        const last = this.area.inputs.takeLast();
        if (last !== undefined) this.area.composer.prepend(last.text, last.typed !== last.text);
        return last !== undefined;
    }

    // Input queued behind the cancelled turn returns to the draft.
    private interrupt(): void {
        this.turns.cancel();
        const queued = this.area.inputs.takeAll();
        if (queued.length === 0) return;
        const hasPasted = queued.some(({ text, typed }) => typed !== text);
        this.area.composer.prepend(queued.map(({ text }) => text).join("\n"), hasPasted);
    }

    private toggleMode(): void {
        const { mode } = this.options.session.services.session;
        const next = MODE_IDS[(MODE_IDS.indexOf(mode.current()) + 1) % MODE_IDS.length];
        if (next) mode.select(next);
        this.status.show();
    }

    private describe(error: unknown): string {
        if (!isExpectedError(error)) this.options.onBug?.(error);
        return describeError(error, logPathOf(this.options.environment), this.area.terminal.theme);
    }

    // Not needed for the first prompt.
    private loadLate(): void {
        this.options.session.prepare();
        void loadWidths().then(() => this.area.view.refresh());
        void this.area.terminal.screen.flush().then(() => this.files.load());
        this.options.history?.load().then(
            (entries) => this.area.composer.setHistory(entries),
            (error: unknown) => this.area.view.print(this.describe(error))
        );
    }

    private async awaitEnd(): Promise<void> {
        await whenAborted(this.ended);
        this.turns.cancel();
        this.area.inputs.close();
        await sleep(END_GRACE_MS);
    }
}
