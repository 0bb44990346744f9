import { ANSWER_MARK, type Tail, type TurnView } from "../live-view.js";
import { stripControls } from "../terminal/safe-text.js";
import type { Theme } from "../terminal/theme.js";
import type { CodeColours } from "./markdown/code-colours.js";
import { MarkdownLines } from "./markdown/markdown-lines.js";

const TAIL_CHARACTERS = 4000;

/** What an answer is drawn on and by. */
export interface AnswerOptions {
    readonly view: Pick<TurnView, "print" | "setTail">;
    readonly theme: Theme;
    /** The code colours once they are loaded. */
    colours(): CodeColours | undefined;
}

/** The text of an answer as it streams in: whole lines are printed, the last one is alive. */
export class AnswerText {
    private line = "";
    private isFirstLine = true;
    private markdown: MarkdownLines;

    constructor(private readonly options: AnswerOptions) {
        this.markdown = this.startMarkdown();
    }

    add(text: string): void {
        const lines = (this.line + text).split("\n");
        this.line = lines.pop() ?? "";
        for (const line of lines) this.addLine(line);
        this.options.view.setTail(this.tail());
    }

    /** The text is complete; what follows is another answer. */
    finish(): void {
        const rest = this.line;
        this.line = "";
        this.options.view.setTail(undefined);
        if (rest !== "") this.addLine(rest);
        this.print(this.markdown.end());
        this.isFirstLine = true;
        this.markdown = this.startMarkdown();
    }

    private startMarkdown(): MarkdownLines {
        return new MarkdownLines(this.options.theme, () => this.options.colours());
    }

    private addLine(line: string): void {
        const safe = safeAnswer(line);
        // A blank beginning is not an answer yet.
        if (this.isFirstLine && safe.trim() === "" && this.markdown.waiting.length === 0) return;
        this.print(this.markdown.add(safe));
    }

    private print(lines: readonly string[]): void {
        if (lines.length === 0) return;
        const text = lines.join("\n");
        this.options.view.print(this.isFirstLine ? `\n${this.marked(text)}` : text);
        this.isFirstLine = false;
    }

    // The columns of a table that follow the mark would not be below each other.
    private marked(text: string): string {
        const mark = this.options.theme.assistant(ANSWER_MARK);
        return text.includes("\n") ? `${mark}\n${text}` : `${mark} ${text}`;
    }

    // Only the end of an endless line is drawn while it grows; the whole is printed when it ends.
    private tail(): Tail | undefined {
        const { waiting } = this.markdown;
        const isWhole = this.line.length <= TAIL_CHARACTERS;
        const safe = safeAnswer(this.line.slice(-TAIL_CHARACTERS));
        if (waiting.length === 0 && this.isFirstLine && safe.trim() === "") return undefined;
        const growing = isWhole ? this.markdown.growing(safe) : safe;
        const text = [...waiting, ...(this.line === "" ? [] : [growing])].join("\n");
        return { text, isFirst: this.isFirstLine && isWhole };
    }
}

function safeAnswer(line: string): string {
    return stripControls(line.replace(/\r$/, "")).replaceAll("\n", " ");
}
