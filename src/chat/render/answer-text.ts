import { ANSWER_MARK, type Tail, type TurnView } from "../live-view.js";
import { stripControls } from "../../base/safe-text.js";
import type { Theme } from "../terminal/theme.js";
import type { CodeColours } from "./code-colours.js";
import { MarkdownLines, type MarkdownLine } from "./markdown/markdown-lines.js";
import { wrapProse } from "./wrap-prose.js";

const TAIL_CHARACTERS = 4000;

interface AnswerTextOptions {
    readonly view: Pick<TurnView, "columns" | "printVerbatim" | "setTail">;
    readonly theme: Theme;
    /** Code colours, once loaded. */
    colours(): CodeColours | undefined;
}

/** Prints a streaming answer: complete lines at once, the last one live. */
export class AnswerText {
    private line = new GrowingLine();
    private isFirstLine = true;
    private markdown: MarkdownLines;

    constructor(private readonly options: AnswerTextOptions) {
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
        // Leading blank lines are dropped.
        if (this.isFirstLine && safe.trim() === "" && !this.markdown.isWaiting) return;
        this.print(this.markdown.add(safe));
    }

    private print(lines: readonly MarkdownLine[]): void {
        if (lines.length === 0) return;
        this.options.view.printVerbatim(this.rowsOf(lines, this.isFirstLine));
        this.isFirstLine = false;
    }

    /** Puts the mark before the first line of an answer. */
    private rowsOf(lines: readonly MarkdownLine[], isFirst: boolean): string[] {
        const { theme, view } = this.options;
        const mark = theme.assistant(ANSWER_MARK);
        // A table beside the mark would not be aligned.
        const hasOwnLine = isFirst && (lines.length > 1 || lines[0]?.isProse === false);
        const taken = isFirst && !hasOwnLine ? ANSWER_MARK.length + 1 : 0;
        const rows = lines.flatMap(({ text, isProse }) =>
            isProse ? wrapProse(text, view.columns, taken) : [text]
        );
        if (!isFirst) return rows;
        const [first = "", ...rest] = rows;
        return hasOwnLine ? ["", mark, ...rows] : ["", `${mark} ${first}`, ...rest];
    }

    // Only the end of an endless line is drawn while it grows. The complete line is printed.
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

/** A line of any length. Only its end is processed until it is complete. */
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

    /** Returns the line and starts a new one. */
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
