/** Writes readable text: white space collapses, blocks get lines of their own. */
export class TextWriter {
    private readonly pieces: string[] = [];
    private breaks = 0;
    private hasSpace = false;
    private isAtStart = true;
    private readonly beginnings: string[] = [];

    /** Text whose white space means nothing. */
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

    /** Text whose white space counts. */
    verbatim(text: string): void {
        if (text !== "") this.put(text);
    }

    /** Between two texts on one line; nothing where a line break separates them already. */
    divide(text: string): void {
        if (this.breaks === 0) this.verbatim(text);
    }

    /** Written before the next text, or dropped by `forget` when none comes. */
    beginWith(text: string): void {
        this.beginnings.push(text);
    }

    /** Takes back the last `beginWith` if nothing was written since: `false` if something was. */
    forget(): boolean {
        return this.beginnings.pop() !== undefined;
    }

    /** Directly after the last text, without a space. */
    append(text: string): void {
        this.pieces.push(text);
    }

    /** At least so many line breaks before the next text. */
    breakLine(count: 1 | 2 = 1): void {
        this.breaks = Math.max(this.breaks, count);
        this.hasSpace = false;
    }

    toString(): string {
        return this.pieces.join("").trimEnd();
    }

    private put(text: string): void {
        if (!this.isAtStart && this.breaks > 0) this.pieces.push("\n".repeat(this.breaks));
        else if (!this.isAtStart && this.hasSpace) this.pieces.push(" ");
        this.pieces.push(...this.beginnings.splice(0), text);
        this.breaks = 0;
        this.hasSpace = false;
        this.isAtStart = false;
    }
}
