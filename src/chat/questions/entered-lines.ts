import { chord, type Key } from "../terminal/keys.js";
import type { QuestionAction } from "./deliberate-keys.js";

/** What tells an answer from a message. */
export interface EnteredLinesOptions {
    isLetter(text: string): boolean;
    act(action: QuestionAction, reason?: string): void;
    /** Ctrl+C. */
    cancel(): void;
}

/** Lines as answers: a letter, nothing at all, or a no with its reason. Any other is a message. */
export class EnteredLines {
    private line: Key | undefined;

    constructor(private readonly options: EnteredLinesOptions) {}

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
