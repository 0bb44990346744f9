/**
 * Far more than a model gets: repeated indentation or link targets make some pages a thousand times
 * longer.
 */
const MAX_CHARACTERS = 1_000_000;

/** Writes readable text: collapses white space and puts blocks on their own lines. */
export class TextWriter {
    private readonly pieces: string[] = [];
    private breaks = 0;
    private hasSpace = false;
    private isAtStart = true;
    private readonly beginnings: string[] = [];
    private room = MAX_CHARACTERS;

    get isFull(): boolean {
        return this.room <= 0;
    }

    text(text: string): void {
        const collapsed = text.replace(/[ \t\n\r\f]+/g, " ");
        if (collapsed === "") return;
        if (collapsed === " ") {
            this.hasSpace = true;
            return;
        }
        this.hasSpace ||= collapsed.startsWith(" ");
        this.put(collapsed.trim());
        this.hasSpace = collapsed.endsWith(" ");
    }

    verbatim(text: string): void {
        if (text !== "") this.put(text);
    }

    /** Writes a separator between texts on one line; no-op after a line break. */
    divide(text: string): void {
        if (this.breaks === 0) this.verbatim(text);
    }

    /** Writes `text` before the next text; `forget` drops it if there is none. */
    beginWith(text: string): void {
        this.beginnings.push(text);
    }

    /** Drops the last `beginWith`; returns `false` if it has been written already. */
    forget(): boolean {
        return this.beginnings.pop() !== undefined;
    }

    /** Writes directly after the last text, without a space. */
    append(text: string): void {
        this.room -= text.length;
        this.pieces.push(text);
    }

    /** Ensures at least `count` line breaks before the next text. */
    breakLine(count: 1 | 2 = 1): void {
        this.breaks = Math.max(this.breaks, count);
        this.hasSpace = false;
    }

    toString(): string {
        return this.pieces.join("").trimEnd();
    }

    private put(text: string): void {
        if (this.isFull) return;
        if (!this.isAtStart && this.breaks > 0) this.pieces.push("\n".repeat(this.breaks));
        else if (!this.isAtStart && this.hasSpace) this.pieces.push(" ");
        for (const piece of [...this.beginnings.splice(0), text]) this.append(piece);
        this.breaks = 0;
        this.hasSpace = false;
        this.isAtStart = false;
    }
}
