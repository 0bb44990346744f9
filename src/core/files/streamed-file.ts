import type { Staging } from "./staging.js";

const HALF_CHARACTER = /[\ud800-\udbff]$/;

/** A file streamed as text and staged piece by piece. */
export class StreamedFile {
    private lineBreaks: number;
    private endsInLine: boolean;
    /** The unfinished last line of the staged text, held until its continuation is known. */
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

    /** Continues a staged text; `undefined` if nothing is staged. */
    static resume(path: string, staging: Staging): StreamedFile | undefined {
        const kept = staging.read(path);
        return kept === undefined ? undefined : new StreamedFile(path, staging, kept);
    }

    get lines(): number {
        return this.lineBreaks + (this.endsInLine ? 1 : 0);
    }

    write(text: string): void {
        const whole = this.half + this.withoutRepeatedStart(text);
        // A lone surrogate cannot be encoded; its other half comes with the next piece.
        this.half = HALF_CHARACTER.exec(whole)?.[0] ?? "";
        const ready = whole.slice(0, whole.length - this.half.length);
        if (ready === "") return;
        this.staging.append(this.path, ready);
        this.lineBreaks += ready.split("\n").length - 1;
        this.endsInLine = !ready.endsWith("\n");
    }

    /** Drops the beginning of a cut line, which the model repeats, or continues in the middle. */
    private withoutRepeatedStart(text: string): string {
        if (this.cutLine === "") return text;
        this.beginning += text;
        const { cutLine, beginning } = this;
        if (cutLine.startsWith(beginning) && beginning.length < cutLine.length) return "";
        this.cutLine = "";
        this.beginning = "";
        return beginning.startsWith(cutLine) ? beginning.slice(cutLine.length) : beginning;
    }
}

/** The unfinished last line of a text; empty if the text ends with a line break. */
export function cutLineOf(text: string): string {
    return text.slice(text.lastIndexOf("\n") + 1);
}
