import stringWidth from "string-width";

/** Most of what North prints; measuring it takes far longer than drawing it. */
const ASCII = /^[ -~]*$/;

/**
 * Emulates what North and its prompts use: text with wrapping and wide characters, cursor movement,
 * erasing, and scrolling with a scrollback. Modes are parsed and ignored.
 */
export class ScreenModel {
    private lines: string[][] = [[]];
    /** Colour sequences in effect when each cell was last written. */
    private readonly styles: string[][] = [];
    private style = "";
    /** Index in `lines` of the window's first row. */
    private top = 0;
    private row = 0;
    private column = 0;
    private rest = "";
    private readonly segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

    constructor(
        public columns: number,
        public rows: number
    ) {}

    write(data: string, done?: () => void): void {
        this.read(data);
        done?.();
    }

    private read(data: string): void {
        let input = this.rest + data;
        this.rest = "";
        while (input !== "") {
            if (input.startsWith("\u001b")) {
                const match =
                    /^\u001b(?:\[([<=>?]?)([\d;]*)([ -/]*[@-~])|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[ -/]*[0-Z\\^-~])/.exec(
                        input
                    );
                if (!match) {
                    this.rest = input;
                    return;
                }
                if (match[3] !== undefined && match[1] === "") {
                    this.control(match[3], match[2] ?? "");
                }

                input = input.slice(match[0].length);
                continue;
            }
            const text = /^[^\u001b]+/.exec(input)?.[0] ?? "";
            for (const segment of this.segmentsOf(text)) this.put(segment);
            input = input.slice(text.length);
        }
    }

    private segmentsOf(data: string): readonly string[] {
        if (/^[\r\n -~]*$/.test(data)) return [...data];
        return Array.from(this.segmenter.segment(data), ({ segment }) => segment);
    }

    /** Cuts rows that are too long, like a terminal that does not rewrap. */
    resize(columns: number, rows: number): void {
        this.columns = columns;
        this.rows = rows;
        const height = this.lines.length - this.top;
        if (height > rows) {
            const hidden = Math.min(height - rows, Math.max(0, this.row - rows + 1));
            this.top += hidden;
            this.row -= hidden;
            this.lines.length = Math.min(this.lines.length, this.top + rows);
        }
        this.column = Math.min(this.column, columns - 1);
    }

    /** The visible screen without trailing blanks. */
    screen(): string {
        return text(this.lines.slice(this.top, this.top + this.rows));
    }

    /** All lines, including the scrollback. */
    transcript(): string {
        return text(this.lines);
    }

    /** All cells: text and colour parameters. */
    styledTranscript(): readonly (readonly { readonly text: string; readonly style: string }[])[] {
        return this.lines.map((line, row) =>
            Array.from(line, (text = " ", column) => ({
                text,
                style: this.styles[row]?.[column] ?? "",
            }))
        );
    }

    cursor(): { readonly row: number; readonly column: number } {
        return { row: this.row, column: this.column };
    }

    private put(segment: string): void {
        if (segment === "\r") {
            this.column = 0;
        } else if (segment === "\n") {
            this.lineFeed();
        } else if (segment === "\r\n") {
            this.column = 0;
            this.lineFeed();
        } else if (segment === "\b") {
            this.column = Math.max(0, this.column - 1);
        } else if (segment === "\t") {
            this.column = Math.min(this.columns - 1, (this.column | 7) + 1);
        } else if (segment >= " ") {
            this.print(segment);
        }
    }

    private print(segment: string): void {
        const width = ASCII.test(segment) ? 1 : stringWidth(segment);
        if (width === 0) return;
        if (this.column + width > this.columns) {
            this.column = 0;
            this.lineFeed();
        }
        const line = this.line();
        while (line.length < this.column) line.push(" ");
        line[this.column] = segment;
        (this.styles[this.top + this.row] ??= [])[this.column] = this.style;
        if (width === 2) line[this.column + 1] = "";
        this.column += width;
    }

    private lineFeed(): void {
        if (this.row < this.rows - 1) this.row += 1;
        else this.top += 1;
        this.line();
    }

    private line(): string[] {
        const index = this.top + this.row;
        while (this.lines.length <= index) this.lines.push([]);
        return this.lines[index]!;
    }

    private control(letter: string, parameters: string): void {
        const numbers = parameters.split(";").map(Number);
        const amount = Math.max(1, numbers[0] ?? 1);
        if (letter === "m") {
            this.style = parameters === "0" ? "" : `${this.style};${parameters}`;
        } else if (letter === "A") {
            this.row = Math.max(0, this.row - amount);
        } else if (letter === "B") {
            this.row = Math.min(this.rows - 1, this.row + amount);
        } else if (letter === "C") {
            this.column = Math.min(this.columns - 1, this.column + amount);
        } else if (letter === "D") {
            this.column = Math.max(0, this.column - amount);
        } else if (letter === "E" || letter === "F") {
            this.row = Math.max(0, this.row + (letter === "E" ? amount : -amount));
            this.column = 0;
        } else if (letter === "G") {
            this.column = amount - 1;
        } else if (letter === "H") {
            this.row = amount - 1;
            this.column = Math.max(1, numbers[1] ?? 1) - 1;
        } else if (letter === "J") {
            this.eraseDisplay(numbers[0] ?? 0);
        } else if (letter === "K") {
            this.eraseLine(numbers[0] ?? 0);
        }
    }

    private eraseDisplay(how: number): void {
        if (how === 0) {
            this.line().length = Math.min(this.line().length, this.column);
            this.lines.length = this.top + this.row + 1;
        } else if (how === 2) {
            this.lines.length = this.top;
        } else if (how === 3) {
            this.lines.splice(0, this.top);
            this.top = 0;
        }
    }

    private eraseLine(how: number): void {
        const line = this.line();
        if (how === 0) line.length = Math.min(line.length, this.column);
        else if (how === 2) line.length = 0;
        else line.fill(" ", 0, this.column + 1);
    }
}

function text(lines: readonly (readonly string[])[]): string {
    const rows = lines.map((line) =>
        Array.from(line, (cell) => cell ?? " ")
            .join("")
            .trimEnd()
    );
    return rows.join("\n").trimEnd();
}
