import { NorthError } from "../../plugin/north-error.js";
import { Keyboard } from "./keyboard.js";
import { chord, type Key } from "./keys.js";
import { notification, type NotifySetting } from "./notification.js";
import { Screen } from "./screen.js";
import { colourLevel, createTheme, type Theme } from "./theme.js";

// Bracketed paste, and the first level of the kitty protocol, which tells Shift+Enter from Enter.
// Terminals that know neither ignore both.
const ENTER_MODES = "\u001b[?2004h\u001b[>1u";
const LEAVE_MODES = "\u001b[<u\u001b[?2004l\u001b[?25h";
/** After a stop that nobody could carry out (no job control) the chat goes on by itself. */
const RESUME_CHECK_MS = 50;

/** Where the chat takes place. */
export interface TerminalOptions {
    readonly input: NodeJS.ReadStream;
    readonly output: NodeJS.WriteStream;
    readonly environment: NodeJS.ProcessEnv;
}

/** Keyboard and screen of one terminal, and its modes: set on `open`, put back on every way out. */
export class Terminal {
    readonly keyboard: Keyboard;
    readonly screen: Screen;
    readonly theme: Theme;
    private isOpen = false;
    private hasModes = false;
    private isLent = false;
    private readonly disappearance = new AbortController();

    constructor(private readonly options: TerminalOptions) {
        this.keyboard = new Keyboard(options.input, (key) => this.intercept(key));
        this.screen = new Screen(options.output);
        this.theme = createTheme(colourLevel(options.output, options.environment));
    }

    /** Throws a `NorthError` (`not-a-terminal`) where a line cannot be edited. */
    open(): void {
        const { input, output, environment } = this.options;
        const isDumb = environment.TERM === "dumb";
        if (!input.isTTY || !output.isTTY || isDumb) {
            throw new NorthError(
                "not-a-terminal",
                isDumb
                    ? "The chat needs a terminal that can move its cursor; TERM is dumb."
                    : "The chat needs a terminal on its standard input and output.",
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
        output.on("error", this.onGone);
        this.screen.resume();
    }

    /** Aborted when the terminal has gone away. */
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
    }

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
        this.keyboard.pause();
        this.restore();
        // Ctrl+C in the other program is meant for it, and reaches its whole process group.
        const listeners = process.listeners("SIGINT");
        const ignore = (): void => {};
        process.on("SIGINT", ignore);
        for (const listener of listeners) process.off("SIGINT", listener);
        try {
            return await work(this.options.environment);
        } finally {
            for (const listener of listeners) process.on("SIGINT", listener);
            process.off("SIGINT", ignore);
            this.isLent = false;
            if (this.isOpen) {
                this.setModes();
                this.keyboard.resume();
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

    private readonly onGone = (): void => this.disappearance.abort();

    // While a picker draws, nobody could put its lines back after a stop.
    private intercept(key: Key): boolean {
        if (chord(key) !== "ctrl-z") return false;
        if (this.screen.isActive) this.suspend();
        return true;
    }
}
