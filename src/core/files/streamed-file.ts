import type { Staging } from "./staging.js";

const HALF_CHARACTER = /[\ud800-\udbff]$/;

/** A file that comes in as text and is kept in the staging, piece by piece. */
export class StreamedFile {
    private lineBreaks: number;
    private endsInLine: boolean;
    /** The unfinished line with which the kept text ends, until it is known how that goes on. */
    private cutLine: string;
    private beginning = "";
    private half = "";

    private constructor(
        readonly path: string,
        private readonly staging: Staging,
        kept: string
    ) {
        this.lineBreaks = kept.split("\n").length - 1;
        this.cutLine = cutLineOf(kept);
        this.endsInLine = this.cutLine !== "";
    }

    static begin(path: string, staging: Staging): StreamedFile {
        staging.begin(path);
        return new StreamedFile(path, staging, "");
    }

    /** Goes on with what is kept; `undefined` where nothing is. */
    static resume(path: string, staging: Staging): StreamedFile | undefined {
        const kept = staging.read(path);
        return kept === undefined ? undefined : new StreamedFile(path, staging, kept);
    }

    get lines(): number {
        return this.lineBreaks + (this.endsInLine ? 1 : 0);
    }

    write(text: string): void {
        const whole = this.half + this.behindCutLine(text);
        // Half a character has no bytes; its other half comes with the next piece.
        this.half = HALF_CHARACTER.exec(whole)?.[0] ?? "";
        const ready = whole.slice(0, whole.length - this.half.length);
        if (ready === "") return;
        this.staging.append(this.path, ready);
        this.lineBreaks += ready.split("\n").length - 1;
        this.endsInLine = !ready.endsWith("\n");
    }

    /**
     * The model is asked to write a line anew in which it was cut off, and may as well go on in the
     * middle of it. Where the line is repeated, only what comes behind it is added.
     */
    private behindCutLine(text: string): string {
        if (this.cutLine === "") return text;
        this.beginning += text;
        const { cutLine, beginning } = this;
        if (cutLine.startsWith(beginning) && beginning.length < cutLine.length) return "";
        this.cutLine = "";
        this.beginning = "";
        return beginning.startsWith(cutLine) ? beginning.slice(cutLine.length) : beginning;
    }
}

/** The last line of a text that was cut off in the middle of it; empty where it was not. */
export function cutLineOf(text: string): string {
    return text.slice(text.lastIndexOf("\n") + 1);
}
