/** The lines that the transcript keeps of an output without a form of its own. */
export const SHOWN_OUTPUT_LINES = 10;

const MOST_CHARACTERS = 1_000_000;

/** What a call has shown while it ran: the end of it, where that is very long. */
export class ShownOutput {
    private text = "";

    add(text: string): void {
        this.text += text;
        if (this.text.length > 2 * MOST_CHARACTERS) this.text = this.text.slice(-MOST_CHARACTERS);
    }

    /** All of it, where the transcript keeps less. */
    get whole(): string | undefined {
        const text = this.text.replace(/\n$/, "");
        return text.split("\n").length > SHOWN_OUTPUT_LINES ? text : undefined;
    }
}
