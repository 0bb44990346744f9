import { rowsAboveCursor, type Rewrap } from "./rewrap.js";

const BEGIN_UPDATE = "\u001b[?2026h";
const END_UPDATE = "\u001b[?2026l";
const HIDE_CURSOR = "\u001b[?25l";
const SHOW_CURSOR = "\u001b[?25h";
// Erase from the second column: if a whole window is erased, tmux copies it to its scrollback.
const ERASE = "\u001b[K\u001b[C\u001b[J\r";
const WRAP_OFF = "\u001b[?7l";
const WRAP_ON = "\u001b[?7h";
const ERASE_REST_OF_ROW = "\u001b[K";
const FRAME_MS = 25;

/** Target time per write: keys are not read until a slow terminal has taken it. */
const WRITE_MS = 40;
const [SMALLEST_WRITE, LARGEST_WRITE] = [1_024, 65_536];

/** The lines of the live area. Each fits one terminal row. */
export interface Block {
    readonly rows: readonly string[];
    /** Hidden if absent. */
    readonly cursor?: { readonly row: number; readonly column: number };
    /** The part that needs an answer, for terminals that cannot redraw. */
    readonly asked?: string;
}

type ScreenOutput = Pick<NodeJS.WriteStream, "columns" | "rows" | "write">;

export type BlockSource = (columns: number, maxRows: number) => Block;

/** The terminal's output: a transcript above a block that is redrawn. */
export abstract class Surface {
    protected source: BlockSource = () => ({ rows: [] });
    protected printed = "";
    protected isSuspended = true;

    constructor(protected readonly output: ScreenOutput) {}

    get isActive(): boolean {
        return !this.isSuspended;
    }

    get columns(): number {
        return Math.max(10, this.output.columns || 80);
    }

    setBlock(source: BlockSource): void {
        this.source = source;
    }

    print(text: string): void {
        this.printed += text.endsWith("\n") ? text : `${text}\n`;
        this.refresh();
    }

    /** Whether more output waits than fits one frame. */
    abstract get isBehind(): boolean;
    /** Resolves once nearly all output is written; `undefined` if it already is. */
    abstract get room(): Promise<void> | undefined;
    /** Draws now if the last frame is old enough, else with the next frame. */
    abstract refresh(): void;
    abstract draw(): void;
    abstract flush(): Promise<void>;
    abstract clear(): void;
    /** Removes the block and stops drawing. Output is buffered meanwhile. */
    abstract suspend(): void;
    abstract resume(): void;
    /** Call after a resize, which may have moved the content. */
    abstract resized(): void;
}

/** An append-only transcript above a redrawn block, so that scrolling and copying work as usual. */
export class Screen extends Surface {
    private drawn: Block = { rows: [] };
    private timer: NodeJS.Timeout | undefined;
    private lastFrame = -Infinity;
    /** Characters per write; printing waits while more is buffered. */
    private writeSize = 4 * SMALLEST_WRITE;
    private awaitingRoom: (() => void)[] = [];

    constructor(
        output: ScreenOutput,
        private readonly rewrap: Rewrap = "all"
    ) {
        super(output);
    }

    get rows(): number {
        return Math.max(4, this.output.rows || 24);
    }

    get isBehind(): boolean {
        return this.printed.length > this.writeSize;
    }

    get room(): Promise<void> | undefined {
        if (this.isSuspended || !this.isBehind) return undefined;
        this.drawSoon();
        return new Promise((resolve) => this.awaitingRoom.push(resolve));
    }

    refresh(): void {
        if (this.isSuspended || this.timer) return;
        const wait = this.lastFrame + FRAME_MS - performance.now();
        if (wait <= 0) this.draw();
        else this.drawSoon(wait);
    }

    private drawSoon(milliseconds = 0): void {
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.draw(), milliseconds);
    }

    async flush(): Promise<void> {
        do {
            this.draw();
            await new Promise<void>((resolve) => this.output.write("", () => resolve()));
        } while (this.printed !== "" && !this.isSuspended);
    }

    clear(): void {
        this.write(`${this.eraseBlock()}\u001b[H\u001b[2J`);
        this.draw();
    }

    suspend(): void {
        if (this.isSuspended) return;
        do this.draw();
        while (this.printed !== "");
        clearTimeout(this.timer);
        this.timer = undefined;
        this.isSuspended = true;
        this.write(this.eraseBlock() + SHOW_CURSOR);
    }

    resume(): void {
        this.isSuspended = false;
        this.draw();
    }

    resized(): void {
        this.draw({ isWhole: true });
    }

    draw({ isWhole = false } = {}): void {
        clearTimeout(this.timer);
        this.timer = undefined;
        if (this.isSuspended) return;
        const block = this.source(this.columns, this.rows - 1);
        const change = isWhole || this.printed !== "" ? undefined : changedRows(this.drawn, block);
        const body = change ?? this.drawWhole(block);
        this.drawn = block;
        const start = performance.now();
        if (body !== "") this.write(BEGIN_UPDATE + HIDE_CURSOR + body + END_UPDATE);
        this.lastFrame = performance.now();
        this.adaptWriteSize(body.length, this.lastFrame - start);
        if (this.printed !== "") this.drawSoon();
        if (this.isBehind) return;
        for (const resolve of this.awaitingRoom.splice(0)) resolve();
    }

    private drawWhole(block: Block): string {
        const printed = this.nextPrinted().replaceAll("\n", "\r\n");
        const rows = block.rows.join("\r\n") + toCursor(block.rows.length - 1, block);
        return this.eraseBlock() + printed + rows;
    }

    private adaptWriteSize(written: number, milliseconds: number): void {
        if (milliseconds > WRITE_MS) {
            const taken = Math.floor((written * WRITE_MS) / milliseconds);
            this.writeSize = Math.max(SMALLEST_WRITE, taken);
        } else if (written >= this.writeSize && milliseconds < WRITE_MS / 4) {
            this.writeSize = Math.min(LARGEST_WRITE, this.writeSize * 2);
        }
    }

    /** Takes as many whole lines as fit one write. */
    private nextPrinted(): string {
        const { printed, writeSize } = this;
        const end = printed.lastIndexOf("\n", writeSize) + 1 || printed.indexOf("\n") + 1;
        const isAll = printed.length <= writeSize;
        this.printed = isAll ? "" : printed.slice(end);
        return isAll ? printed : printed.slice(0, end);
    }

    private eraseBlock(): string {
        const { drawn } = this;
        this.drawn = { rows: [] };
        if (drawn.rows.length === 0) return "";
        const above = rowsAboveCursor(drawn, this.columns, this.rewrap);
        return `\r${above > 0 ? `\u001b[${above}A` : ""}${ERASE}`;
    }

    private write(text: string): void {
        if (text !== "") this.output.write(text);
    }
}

function toCursor(from: number, { cursor }: Block): string {
    if (!cursor) return "";
    const column = cursor.column > 0 ? `\u001b[${cursor.column}C` : "";
    return toRow(from, cursor.row) + column + SHOW_CURSOR;
}

/** `undefined` if the height differs. Skips unchanged rows: they may just have been rewrapped. */
function changedRows(before: Block, after: Block): string | undefined {
    if (before.rows.length !== after.rows.length) return undefined;
    const last = after.rows.length - 1;
    const changed = [...after.rows.keys()].filter((row) => after.rows[row] !== before.rows[row]);
    const { cursor } = after;
    const hasMoved = cursor?.row !== before.cursor?.row || cursor?.column !== before.cursor?.column;
    if (changed.length === 0 && !hasMoved) return "";
    // A hidden cursor sits at the end of the last row.
    if (!cursor && changed.at(-1) !== last) changed.push(last);
    let text = "";
    let index = before.cursor?.row ?? last;
    for (const row of changed) {
        text += `${toRow(index, row)}${after.rows[row]}${ERASE_REST_OF_ROW}`;
        index = row;
    }
    // tmux reports a new width 250 ms late; until then rows that no longer fit must not wrap.
    return WRAP_OFF + text + WRAP_ON + toCursor(index, after);
}

function toRow(from: number, to: number): string {
    const distance = Math.abs(to - from);
    return `\r${distance > 0 ? `\u001b[${distance}${to < from ? "A" : "B"}` : ""}`;
}
