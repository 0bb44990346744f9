/** One colour sequence; splitting by it keeps the sequences. */
export const COLOUR = /(\u001b\[[0-9;]*m)/;
export const RESET = "\u001b[0m";

/** The colours in effect at a place of a coloured line, to end a row with and begin the next. */
export class OpenColours {
    private readonly sequences = new Map<string, number>();

    /** Takes one sequence into account: it opens a colour, or closes some. */
    add(sequence: string): void {
        const code = Number(/\d+/.exec(sequence)?.[0] ?? 0);
        if (code === 0) return this.sequences.clear();
        for (const [open, closer] of this.sequences) {
            if (closer === code) this.sequences.delete(open);
        }

        const closer = closerOf(code);
        if (closer !== undefined) this.sequences.set(sequence, closer);
    }

    /** What opens the same colours again. */
    get opening(): string {
        return [...this.sequences.keys()].join("");
    }
}

function closerOf(code: number): number | undefined {
    if (code <= 2) return 22;
    if (code <= 9) return code + 20;
    if ((code >= 30 && code < 39) || (code >= 90 && code < 98)) return 39;
    return (code >= 40 && code < 49) || (code >= 100 && code < 108) ? 49 : undefined;
}
