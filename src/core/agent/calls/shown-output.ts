/** Lines of plain output kept in the transcript. */
export const SHOWN_OUTPUT_LINES = 10;

const MAX_OUTPUT_CHARACTERS = 1_000_000;
/** Of a stopped command's output, for the model. */
const MAX_END_CHARACTERS = 4_000;

/** A call's live output, or the end of very long output. */
export class ShownOutput {
    private text = "";

    add(text: string): void {
        this.text += text;
        if (this.text.length > 2 * MAX_OUTPUT_CHARACTERS) {
            this.text = this.text.slice(-MAX_OUTPUT_CHARACTERS);
        }
    }

    /** The last of it, without blank lines at either end. */
    get end(): string {
        return this.text.slice(-MAX_END_CHARACTERS).trim();
    }

    /** The full output, if the transcript keeps less. */
    get whole(): string | undefined {
        const text = this.text.replace(/\n$/, "");
        return text.split("\n").length > SHOWN_OUTPUT_LINES ? text : undefined;
    }
}
