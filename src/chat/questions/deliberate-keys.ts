import { afterTime } from "../../base/waiting.js";
import { chord, type Key } from "../terminal/keys.js";

/** Min silence before and after a letter for it to count as an answer. */
const QUIET_BEFORE_MS = 400;
const QUIET_AFTER_MS = 250;

export type QuestionAction =
    | { readonly kind: "letter"; readonly letter: string }
    /** `reset` clears the selection: something was typed since. */
    | { readonly kind: "enter" | "next" | "previous" | "no" | "reset" };

export interface Clock {
    now(): number;
    /** Calls back after a delay; the returned function cancels. */
    wait(milliseconds: number, callback: () => void): () => void;
}

export const systemClock: Clock = { now: () => performance.now(), wait: afterTime };

interface AnswerOptions {
    /** Whether `text` is the letter of a choice. */
    isLetter(text: string): boolean;
    act(action: QuestionAction, reason?: string): void;
    /** Ctrl+C. */
    cancel(): void;
    /** Called with a single letter and Enter that are neither an answer nor a message. */
    refuse(text: string): void;
}

interface DeliberateKeysOptions extends AnswerOptions {
    readonly clock: Clock;
    /** When the last key before the question arrived. */
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
 * Separates answers from typing. A letter answers only if pressed alone; keys in quick succession
 * go where the first of them went. Everything else goes to the draft, in order.
 */
export class DeliberateKeys {
    private lastKeyAt: number;
    private isWriting = true;
    private pass: (key: Key) => void = () => {};
    /** The only letter of the draft, typed alone at this question. */
    private lone: string | undefined;
    private pending: { readonly key: Key; readonly cancel: () => void } | undefined;

    constructor(private readonly options: DeliberateKeysOptions) {
        this.lastKeyAt = options.lastKeyAt;
    }

    /** `pass` sends a key to the draft. */
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
        const wasPending = this.release();
        // Some press Enter after any letter: nobody sends a one-letter message.
        if (name === "enter" && this.lone !== undefined) return this.options.refuse(this.lone);
        this.lone = key.type === "text" && isAlone && !hadDraft ? key.text : undefined;
        if (wasPending) {
            this.write(key);
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

    /** Ends the question; a pending letter goes to the draft. */
    readonly end = (): void => void this.release();

    private answer(letter: string): void {
        this.pending = undefined;
        this.lone = undefined;
        this.isWriting = false;
        this.options.act({ kind: "letter", letter });
    }

    /** Sends the pending letter to the draft: it began a text. */
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
        // Escape in the middle of typing must not cancel the running turn.
        if (chord(key) !== "escape") this.pass(key);
    }
}

const firstLetter = (word: string): string => word.charAt(0).toLowerCase();

/** Lines as answers: a letter, `yes`, `no`, an empty line, or `n` with a reason. Others are messages. */
export class EnteredLines {
    private line: Key | undefined;

    constructor(private readonly options: AnswerOptions) {}

    /** `pass` sends a key to the draft. */
    readonly handle = (key: Key, pass: (key: Key) => void): void => {
        const { act, isLetter } = this.options;
        if (key.type === "text") {
            this.line = key;
        } else if (chord(key) === "ctrl-c") {
            this.options.cancel();
        } else if (chord(key) === "enter") {
            const { line } = this;
            this.line = undefined;
            const typed = line?.type === "text" ? line.text.trim() : "";
            const text = typed.replace(/^(?:yes|no)(?=\s|$)/i, firstLetter);
            const reason = /^n\s+(\S.*)$/i.exec(text)?.[1];
            if (text === "") {
                act({ kind: "enter" });
            } else if (isLetter(text)) {
                act({ kind: "letter", letter: text });
                act({ kind: "enter" });
            } else if (reason !== undefined && isLetter("n")) {
                act({ kind: "no" }, reason);
            } else if (text.length === 1) {
                this.options.refuse(typed);
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
