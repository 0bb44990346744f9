import { NorthError } from "../../base/north-error.js";
import { Keyboard, type KeySource } from "./keyboard.js";
import { chord, type Key } from "./keys.js";
import { LineKeyboard, takeInterrupts } from "./line-keyboard.js";
import { LineScreen } from "./line-screen.js";
import { notification, type NotifySetting } from "./notification.js";
import { rewrapOf } from "./rewrap.js";
import { Screen, type Surface } from "./screen.js";
import { colourLevel, createTheme, type Theme } from "./theme.js";

// Bracketed paste, and the first level of the kitty protocol, which tells Shift+Enter from Enter.
// Terminals that know neither ignore both.
const ENTER_MODES = "\u001b[?2004h\u001b[>1u";
const LEAVE_MODES = "\u001b[<u\u001b[?2004l\u001b[?25h";
/** After a stop that nobody could carry out (no job control) the chat goes on by itself. */
const RESUME_CHECK_MS = 50;

export function canMoveCursor({ TERM = "" }: NodeJS.ProcessEnv): boolean {
    return !["dumb", "unknown"].includes(TERM);
}

export interface TerminalOptions {
    readonly input: NodeJS.ReadStream;
    readonly output: NodeJS.WriteStream;
    readonly environment: NodeJS.ProcessEnv;
}

/** Keyboard and screen of one terminal, and its modes: set on `open`, put back on every way out. */
export class Terminal {
    readonly keyboard: KeySource;
    readonly screen: Surface;
    readonly theme: Theme;
    /** It edits and shows what is typed by itself, line by line; its cursor cannot be moved. */
    readonly takesLines: boolean;
    private isOpen = false;
    private hasModes = false;
    private isLent = false;
    private readonly disappearance = new AbortController();

    constructor(private readonly options: TerminalOptions) {
        const { input, output, environment } = options;
        this.takesLines = !canMoveCursor(environment);
        if (this.takesLines) {
            const screen = new LineScreen(output);
            this.theme = createTheme(0);
            this.screen = screen;
            this.keyboard = new LineKeyboard(input, {
                entered: () => screen.answered(),
                dropped: (text) => screen.print(`(Ignored, typed before the question: ${text})`),
            });
        } else {
            this.theme = createTheme(colourLevel(output, environment));
            this.screen = new Screen(output, rewrapOf(environment));
            this.keyboard = new Keyboard(input, (key) => this.intercept(key));
        }
    }

    /** Throws a `NorthError` (`not-a-terminal`) where nobody can type. */
    open(): void {
        const { input, output } = this.options;
        if (!input.isTTY || !output.isTTY) {
            throw new NorthError(
                "not-a-terminal",
                "The chat needs a terminal on its standard input and output.",
                ['Use `north chat -p "your question"` for one answer without a terminal.']
            );
        }
        this.isOpen = true;
        this.setModes();
        this.keyboard.start();
        process.on("exit", this.restore);
        process.on("SIGCONT", this.onContinue);
        output.on("resize", this.onResize);
        input.once("end", this.onGone);
        input.on("error", this.onGone);
        output.on("error", this.onGone);
        this.screen.resume();
    }

    get gone(): AbortSignal {
        return this.disappearance.signal;
    }

    /** Puts everything back as it was. Safe to call twice. */
    close(): void {
        if (!this.isOpen) return;
        this.screen.suspend();
        this.isOpen = false;
        this.keyboard.stop();
        process.off("exit", this.restore);
        process.off("SIGCONT", this.onContinue);
        this.options.output.off("resize", this.onResize);
        this.options.input.off("end", this.onGone);
        this.options.output.off("error", this.onGone);
        this.restore();
        // Not before: raw mode cannot be taken back on a terminal that has gone away.
        this.options.input.off("error", this.onGone);
    }

    /** Sends the terminal a sequence that shows nothing. */
    readonly write = (sequence: string): void => void this.options.output.write(sequence);

    /** Tells the user, who may look elsewhere, that they are waited for. */
    notify(setting: NotifySetting, text: string): void {
        this.options.output.write(notification(setting, text, this.environment));
    }

    get environment(): NodeJS.ProcessEnv {
        return this.options.environment;
    }

    /** Gives the terminal to another program until `work` ends; what is printed meanwhile waits. */
    readonly lend = async <Result>(
        work: (environment: NodeJS.ProcessEnv) => Promise<Result>
    ): Promise<Result> => {
        this.isLent = true;
        this.screen.suspend();
        this.options.input.pause();
        this.restore();
        // Ctrl+C in the other program is meant for it, and reaches its whole process group.
        const releaseInterrupts = takeInterrupts(() => {});
        try {
            return await work(this.options.environment);
        } finally {
            releaseInterrupts();
            this.isLent = false;
            if (this.isOpen) {
                this.setModes();
                this.options.input.resume();
                this.screen.resume();
            }
        }
    };

    /** Stops North as Ctrl+Z does with any program; `fg` brings it back. */
    private suspend(): void {
        this.screen.suspend();
        this.restore();
        // The whole group, so that a wrapper (npm, a script) gives the shell its prompt back too.
        process.kill(0, "SIGTSTP");
        setTimeout(this.onContinue, RESUME_CHECK_MS);
    }

    private setModes(): void {
        if (this.takesLines) return;
        this.options.input.setRawMode(true);
        this.options.output.write(ENTER_MODES);
        this.hasModes = true;
    }

    private readonly restore = (): void => {
        if (!this.hasModes) return;
        this.hasModes = false;
        this.options.output.write(LEAVE_MODES);
        this.options.input.setRawMode(false);
    };

    // Also after a stop from outside: the shell has taken raw mode back meanwhile.
    private readonly onContinue = (): void => {
        if (!this.isOpen || this.isLent) return;
        this.screen.suspend();
        this.restore();
        this.setModes();
        this.screen.resume();
    };

    private readonly onResize = (): void => this.screen.resized();

    // Not before a Ctrl+D, which ends the input of a terminal that takes lines, was heard.
    private readonly onGone = (): void =>
        void setImmediate(() => this.isOpen && this.disappearance.abort());

    // While a picker draws, nobody could put its lines back after a stop.
    private intercept(key: Key): boolean {
        if (chord(key) !== "ctrl-z") return false;
        if (this.screen.isActive) this.suspend();
        return true;
    }
}
