import { NorthError } from "../../base/north-error.js";
import { Keyboard, type KeySource } from "./keyboard.js";
import { chord, type Key } from "./keys.js";
import { LineKeyboard, takeInterrupts } from "./line-keyboard.js";
import { LineScreen } from "./line-screen.js";
import { notification, type NotifySetting } from "./notification.js";
import { rewrapOf } from "./rewrap.js";
import { Screen, type Surface } from "./screen.js";
import { colourLevel, createTheme, type Theme } from "./theme.js";

// Bracketed paste, and level 1 of the kitty protocol, which distinguishes Shift+Enter from Enter.
// Terminals ignore modes that they do not know.
const ENTER_MODES = "\u001b[?2004h\u001b[>1u";
const LEAVE_MODES = "\u001b[<u\u001b[?2004l\u001b[?25h";
/** A stop may have no effect (no job control); then the chat resumes by itself. */
const RESUME_CHECK_MS = 50;

export function canMoveCursor({ TERM = "" }: NodeJS.ProcessEnv): boolean {
    return !["dumb", "unknown"].includes(TERM);
}

export interface TerminalOptions {
    readonly input: NodeJS.ReadStream;
    readonly output: NodeJS.WriteStream;
    readonly environment: NodeJS.ProcessEnv;
}

/** Keyboard and screen of one terminal. Sets its modes on `open`, restores them on any exit. */
export class Terminal {
    readonly keyboard: KeySource;
    readonly screen: Surface;
    readonly theme: Theme;
    /** A line terminal: it edits and echoes lines itself, and its cursor cannot be moved. */
    readonly isLineTerminal: boolean;
    private isOpen = false;
    private hasModes = false;
    private isLent = false;
    private readonly disappearance = new AbortController();

    constructor(private readonly options: TerminalOptions) {
        const { input, output, environment } = options;
        this.isLineTerminal = !canMoveCursor(environment);
        if (this.isLineTerminal) {
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

    /** Throws `not-a-terminal` if stdin or stdout is not a terminal. */
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

    /** Restores the terminal. Idempotent. */
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
        // Last: leaving raw mode fails on a terminal that is gone.
        this.options.input.off("error", this.onGone);
    }

    /** Sends the terminal an invisible sequence. */
    readonly write = (sequence: string): void => void this.options.output.write(sequence);

    /** Notifies the user, who may look elsewhere. */
    notify(setting: NotifySetting, text: string): void {
        this.options.output.write(notification(setting, text, this.environment));
    }

    get environment(): NodeJS.ProcessEnv {
        return this.options.environment;
    }

    /** Lends the terminal to another program until `work` ends. Output is buffered meanwhile. */
    readonly lend = async <Result>(
        work: (environment: NodeJS.ProcessEnv) => Promise<Result>
    ): Promise<Result> => {
        this.isLent = true;
        this.screen.suspend();
        this.options.input.pause();
        this.restore();
        // Ctrl+C reaches the whole process group, but is meant for the other program.
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

    /** Stops North, as Ctrl+Z stops any program. `fg` resumes it. */
    private suspend(): void {
        this.screen.suspend();
        this.restore();
        // Stop the whole group, so that a wrapper (npm, a script) returns to the shell too.
        process.kill(0, "SIGTSTP");
        setTimeout(this.onContinue, RESUME_CHECK_MS);
    }

    private setModes(): void {
        if (this.isLineTerminal) return;
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

    // Also after a stop from outside: the shell has left raw mode meanwhile.
    private readonly onContinue = (): void => {
        if (!this.isOpen || this.isLent) return;
        this.screen.suspend();
        this.restore();
        this.setModes();
        this.screen.resume();
    };

    private readonly onResize = (): void => this.screen.resized();

    // Deferred: a line terminal's Ctrl+D ends the input and must be handled first.
    private readonly onGone = (): void =>
        void setImmediate(() => this.isOpen && this.disappearance.abort());

    // Ignored while a picker draws: its lines could not be redrawn after a stop.
    private intercept(key: Key): boolean {
        if (chord(key) !== "ctrl-z") return false;
        if (this.screen.isActive) this.suspend();
        return true;
    }
}
