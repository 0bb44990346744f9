import { afterTime } from "../../base/waiting.js";
import { chord, type Key } from "../terminal/keys.js";

/** A letter counts only if no key came for so long before it, and after it. */
const QUIET_BEFORE_MS = 400;
const QUIET_AFTER_MS = 250;

export type QuestionAction =
    | { readonly kind: "letter"; readonly letter: string }
    /** `reset`: what was selected before something was written does not count any more. */
    | { readonly kind: "enter" | "next" | "previous" | "no" | "reset" };

export interface Clock {
    now(): number;
    /** Calls back after a while, unless the function returned is called before. */
    wait(milliseconds: number, callback: () => void): () => void;
}

export const systemClock: Clock = { now: () => performance.now(), wait: afterTime };

interface AnswerOptions {
    /** Whether it is the letter of a choice. */
    isLetter(text: string): boolean;
    act(action: QuestionAction, reason?: string): void;
    /** Ctrl+C. */
    cancel(): void;
}

export interface DeliberateKeysOptions extends AnswerOptions {
    readonly clock: Clock;
    /** When the last key before the question came. */
    readonly lastKeyAt: number;
    hasDraft(): boolean;
}

const ACTIONS: Readonly<Record<string, "enter" | "next" | "previous" | "no">> = {
    enter: "enter",
    up: "previous",
    left: "previous",
    "shift-tab": "previous",
    down: "next",
    right: "next",
    tab: "next",
    escape: "no",
};

/**
 * Keys that follow each other closely go where the first of them went: a letter is an answer only when it
 * comes alone. Everything else goes to the line being written, in the order in which it was typed.
 */
export class DeliberateKeys {
    private lastKeyAt: number;
    private isWriting = true;
    private pass: (key: Key) => void = () => {};
    private pending: { readonly key: Key; readonly cancel: () => void } | undefined;

    constructor(private readonly options: DeliberateKeysOptions) {
        this.lastKeyAt = options.lastKeyAt;
    }

    /** `pass` gives a key to the line being written. */
    readonly handle = (key: Key, pass: (key: Key) => void): void => {
        const { clock, act } = this.options;
        this.pass = pass;
        const now = clock.now();
        const isAlone = now - this.lastKeyAt >= QUIET_BEFORE_MS;
        this.lastKeyAt = now;
        const name = chord(key);
        if (name === "ctrl-c") {
            this.release();
            return this.options.cancel();
        }
        const hadDraft = this.options.hasDraft();
        if (this.release()) {
            // Some press Enter after any letter: nobody sends a message of one.
            if (name !== "enter" || hadDraft) this.write(key);
        } else if (!isAlone && this.isWriting) {
            this.write(key);
        } else if (key.type === "text" && isAlone && this.options.isLetter(key.text)) {
            const cancel = clock.wait(QUIET_AFTER_MS, () => this.answer(key.text));
            this.pending = { key, cancel };
        } else {
            const kind = ACTIONS[name ?? ""];
            const sendsDraft = name === "enter" && hadDraft && this.isWriting;
            if (kind === undefined || sendsDraft) return this.write(key);
            this.isWriting = false;
            act({ kind });
        }
    };

    /** Gives back what was not decided yet; the question is over. */
    readonly end = (): void => void this.release();

    private answer(letter: string): void {
        this.pending = undefined;
        this.isWriting = false;
        this.options.act({ kind: "letter", letter });
    }

    /** The letter that was waiting was the beginning of a text. */
    private release(): boolean {
        const { pending } = this;
        if (!pending) return false;
        this.pending = undefined;
        pending.cancel();
        this.write(pending.key);
        return true;
    }

    private write(key: Key): void {
        this.isWriting = true;
        this.options.act({ kind: "reset" });
        // In the middle of a text Escape means nothing, and must not stop what goes on.
        if (chord(key) !== "escape") this.pass(key);
    }
}

/** Lines as answers: a letter, nothing at all, or a no with its reason. Any other is a message. */
export class EnteredLines {
    private line: Key | undefined;

    constructor(private readonly options: AnswerOptions) {}

    /** `pass` gives a key to the line being written. */
    readonly handle = (key: Key, pass: (key: Key) => void): void => {
        const { act, isLetter } = this.options;
        if (key.type === "text") {
            this.line = key;
        } else if (chord(key) === "ctrl-c") {
            this.options.cancel();
        } else if (chord(key) === "enter") {
            const { line } = this;
            this.line = undefined;
            const text = line?.type === "text" ? line.text.trim() : "";
            const reason = /^n\s+(\S.*)$/i.exec(text)?.[1];
            if (text === "") {
                act({ kind: "enter" });
            } else if (isLetter(text)) {
                act({ kind: "letter", letter: text });
                act({ kind: "enter" });
            } else if (reason !== undefined && isLetter("n")) {
                act({ kind: "no" }, reason);
            } else if (line) {
                pass(line);
                pass(key);
            }
        } else {
            pass(key);
        }
    };

    readonly end = (): void => {};
}
