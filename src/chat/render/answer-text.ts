import { ANSWER_MARK, type Tail, type TurnView } from "../live-view.js";
import { stripControls } from "../terminal/safe-text.js";
import type { Theme } from "../terminal/theme.js";
import type { CodeColours } from "./markdown/code-colours.js";
import { MarkdownLines, type MarkdownLine } from "./markdown/markdown-lines.js";
import { wrapProse } from "./wrap-prose.js";

const TAIL_CHARACTERS = 4000;

/** What an answer is drawn on and by. */
export interface AnswerOptions {
    readonly view: Pick<TurnView, "columns" | "printVerbatim" | "setTail">;
    readonly theme: Theme;
    /** The code colours once they are loaded. */
    colours(): CodeColours | undefined;
}

/** The text of an answer as it streams in: whole lines are printed, the last one is alive. */
export class AnswerText {
    private line = new GrowingLine();
    private isFirstLine = true;
    private markdown: MarkdownLines;

    constructor(private readonly options: AnswerOptions) {
        this.markdown = this.startMarkdown();
    }

    add(text: string): void {
        const [first = "", ...others] = text.split("\n");
        this.line.add(first);
        for (const next of others) {
            this.addLine(this.line.take());
            this.line.add(next);
        }
        this.options.view.setTail(this.tail);
    }

    /** The text is complete; what follows is another answer. */
    finish(): void {
        const rest = this.line.take();
        this.options.view.setTail(undefined);
        if (rest !== "") this.addLine(rest);
        this.print(this.markdown.end());
        this.isFirstLine = true;
        this.markdown = this.startMarkdown();
    }

    private startMarkdown(): MarkdownLines {
        const { theme, view, colours } = this.options;
        return new MarkdownLines(theme, colours, () => view.columns);
    }

    private addLine(line: string): void {
        const safe = safeAnswer(line);
        // A blank beginning is not an answer yet.
        if (this.isFirstLine && safe.trim() === "" && !this.markdown.isWaiting) return;
        this.print(this.markdown.add(safe));
    }

    private print(lines: readonly MarkdownLine[]): void {
        if (lines.length === 0) return;
        this.options.view.printVerbatim(this.rowsOf(lines, this.isFirstLine));
        this.isFirstLine = false;
    }

    /** An answer's first line stands behind the speaker's mark. */
    private rowsOf(lines: readonly MarkdownLine[], isFirst: boolean): string[] {
        const { theme, view } = this.options;
        const mark = theme.assistant(ANSWER_MARK);
        // The columns of a table that follow the mark would not be below each other.
        const hasOwnLine = isFirst && (lines.length > 1 || lines[0]?.isProse === false);
        const taken = isFirst && !hasOwnLine ? ANSWER_MARK.length + 1 : 0;
        const rows = lines.flatMap(({ text, isProse }) =>
            isProse ? wrapProse(text, view.columns, taken) : [text]
        );
        if (!isFirst) return rows;
        const [first = "", ...rest] = rows;
        return hasOwnLine ? ["", mark, ...rows] : ["", `${mark} ${first}`, ...rest];
    }

    // Only the end of an endless line is drawn while it grows; the whole is printed when it ends.
    private readonly tail: Tail = () => {
        const { waiting } = this.markdown;
        const { isWhole, end } = this.line;
        const safe = safeAnswer(end);
        if (waiting.length === 0 && this.isFirstLine && safe.trim() === "") return [];
        const growing = isWhole ? this.markdown.growing(safe) : { text: safe, isProse: true };
        const lines = [...waiting, ...(end === "" ? [] : [growing])];
        return this.rowsOf(lines, this.isFirstLine && isWhole);
    };
}

/** A line of any length, of which only the end is looked at until it is complete. */
class GrowingLine {
    private parts: string[] = [];
    private length = 0;
    end = "";

    get isWhole(): boolean {
        return this.length <= TAIL_CHARACTERS;
    }

    add(text: string): void {
        if (text === "") return;
        this.parts.push(text);
        this.length += text.length;
        this.end = (this.end + text).slice(-TAIL_CHARACTERS);
    }

    /** The whole line; what is added from now on is another one. */
    take(): string {
        const whole = this.parts.join("");
        this.parts = [];
        this.length = 0;
        this.end = "";
        return whole;
    }
}

function safeAnswer(line: string): string {
    return stripControls(line.replace(/\r$/, "")).replaceAll("\n", " ");
}
