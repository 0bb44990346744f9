import type { Composer } from "./composer/composer.js";
import { composerRows } from "./render/composer-rows.js";
import { formatElapsed } from "../base/format.js";
import { fitRow, wrapRow } from "./render/rows.js";
import { wrapProse } from "./render/wrap-prose.js";
import { textWidth } from "./terminal/graphemes.js";
import type { Block, BlockSource, Surface } from "./terminal/screen.js";
import type { Theme } from "./terminal/theme.js";

const FRAMES = [..."⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"];
const TICK_MS = 100;
const PROSE_ROWS = 5;
/** Min columns for the label of an activity beside its time. */
const MIN_LABEL = 12;
/** Min columns for the progress beside the label. */
const MIN_PROGRESS = 12;
/** Rows each of the queue and of the draft below a question, and the min window height for them. */
const [ROWS_BELOW, MIN_ROWS_WITH_MORE] = [3, 10];
const NONE: Block = { rows: [] };
/** Precedes the first line of an answer. */
export const ANSWER_MARK = "●";

export interface Activity {
    readonly label: string;
    /** Epoch milliseconds. */
    readonly since: number;
    /** When it continues. A countdown replaces the elapsed time. */
    readonly until?: number;
    /** It cannot be cancelled. */
    readonly isUncancellable?: true;
    readonly note?: () => string;
    /** Follows the label where there is room for a word of it. */
    readonly progress?: string;
    /** Newest output lines, below the label. */
    readonly details?: readonly string[];
    /** Growing text below the label. Its newest rows are shown, wrapped. */
    readonly prose?: string;
}

/** The rows of what is still growing, on each draw. */
export type Tail = () => readonly string[];

/** What a turn draws on. All text is already safe and coloured. */
export type TurnView = Pick<
    LiveView,
    "columns" | "print" | "printVerbatim" | "setTail" | "setActivities"
>;

/** Composes the live area: growing text, spinner, and a question or the composer. */
export class LiveView {
    private tail: Tail | undefined;
    private activities: readonly Activity[] = [];
    private question: BlockSource | undefined;
    private ticker: NodeJS.Timeout | undefined;
    queued: readonly string[] = [];
    /** The line above the composer: the first of these that fits. */
    status: readonly string[] = [];

    constructor(
        private readonly screen: Pick<
            Surface,
            "columns" | "room" | "isBehind" | "setBlock" | "print" | "refresh"
        >,
        private readonly theme: Theme,
        private readonly composer: Composer,
        private readonly now: () => number = Date.now
    ) {
        screen.setBlock((columns, maxRows) => this.block(columns, maxRows));
    }

    get columns(): number {
        return this.screen.columns - 1;
    }

    /** Resolves once the terminal has taken most of the output; `undefined` if it already has. */
    get room(): Promise<void> | undefined {
        return this.screen.room;
    }

    /** Appends lines to the transcript, wrapped between words. */
    print(text: string): void {
        this.printVerbatim(wrapProse(text.replace(/\n$/, ""), this.columns));
    }

    /** Appends code or output, which must keep every character. */
    printVerbatim(lines: readonly string[]): void {
        if (lines.length > 0) this.screen.print(`${lines.join("\n")}\n`);
    }

    /** Sets the growing text; `undefined` if none. */
    setTail(tail: Tail | undefined): void {
        this.tail = tail;
        this.screen.refresh();
    }

    setActivities(activities: readonly Activity[]): void {
        this.activities = activities;
        if (activities.length === 0) {
            clearInterval(this.ticker);
            this.ticker = undefined;
        } else {
            this.ticker ??= setInterval(() => this.screen.refresh(), TICK_MS);
        }
        this.screen.refresh();
    }

    get hasDraft(): boolean {
        return this.composer.editor.text !== "";
    }

    /** Shows a question in place of everything but the queue and the draft. */
    setQuestion(question: BlockSource | undefined): void {
        this.question = question;
        this.screen.refresh();
    }

    refresh(): void {
        this.screen.refresh();
    }

    close(): void {
        this.setActivities([]);
        this.screen.setBlock(() => ({ rows: [] }));
        this.screen.refresh();
    }

    private block(columns: number, maxRows: number): Block {
        if (this.question) return this.questionBlock(this.question, columns, maxRows);
        const width = columns - 1;
        // The tail appears only after all text printed before it.
        const growing = this.screen.isBehind ? [] : (this.tail?.() ?? []);
        const tail = growing.flatMap((row) => wrapRow(row, width));
        const above = [...this.activityRows(width), ...this.queuedRows()].map((row) =>
            fitRow(row, width)
        );
        const below = this.bottom(columns, Math.max(4, maxRows - Math.min(above.length, 8)));
        const room = Math.max(0, maxRows - below.rows.length);
        const shownAbove = above.slice(0, room);
        const shownTail = tail.slice(Math.max(0, tail.length - (room - shownAbove.length)));
        return { ...stacked([...shownTail, ...shownAbove], below), asked: this.asked() };
    }

    // A question may use the whole window, to show as much as possible of what is decided.
    private questionBlock(question: BlockSource, columns: number, maxRows: number): Block {
        const hasRoom = maxRows >= MIN_ROWS_WITH_MORE;
        const hasDraft = hasRoom && this.hasDraft;
        const draft = hasDraft
            ? composerRows(this.composer, this.theme, columns, ROWS_BELOW)
            : NONE;
        // ↑ belongs to the question.
        const queued = hasRoom ? this.queuedRows("").slice(-ROWS_BELOW) : [];
        const fitting = queued.map((row) => fitRow(row, columns - 1));
        const { rows, cursor } = question(columns, maxRows - queued.length - draft.rows.length);
        const block = stacked([...rows, ...fitting], draft);
        return { ...block, cursor: cursor ?? block.cursor, asked: `${rows.join("\n")} ` };
    }

    private asked(): string {
        if (this.composer.isBusy) {
            return this.queuedRows("")
                .map((row) => `${row}\n`)
                .join("");
        }
        if (this.composer.editor.text !== "") return "  ";
        return `${this.composer.note ?? `\n${this.status[0] ?? ""}`}\n❯ `;
    }

    private bottom(columns: number, maxRows: number): Block {
        const fitting = this.status.find((line) => textWidth(line) < columns);
        const line = fitting ?? this.status.at(-1);
        const header = line === undefined ? [] : ["", fitRow(line, columns - 1)];
        const room = Math.max(1, maxRows - header.length);
        return stacked(header, composerRows(this.composer, this.theme, columns, room));
    }

    private activityRows(width: number): string[] {
        return this.activities.flatMap((activity, index) => {
            const { details = [], prose = "", isUncancellable = false } = activity;
            const grown = prose === "" ? [] : wrapProse(prose, width - 4).slice(-PROSE_ROWS);
            const output = [...details, ...grown].map((line) => this.theme.quiet(`    ${line}`));
            const isLast = index === this.activities.length - 1;
            const canCancel = isLast && this.composer.isBusy && !isUncancellable;
            const hint = canCancel ? "Esc cancels" : "";
            return [this.activityHead(activity, hint, width), ...output];
        });
    }

    private activityHead(activity: Activity, hint: string, width: number): string {
        const { label, since, until, note, progress = "" } = activity;
        const now = this.now();
        const frame = FRAMES[Math.floor(now / TICK_MS) % FRAMES.length] ?? "";
        const elapsed = now - since >= 1_000 ? ` ${formatElapsed(now - since)}` : "";
        // Round up, so that a countdown ends with 1s.
        const time = until === undefined ? elapsed : ` in ${formatElapsed(until - now + 999)}`;
        const end = [time, ...[note?.(), hint].filter(Boolean)].join(" · ");
        const room = Math.max(MIN_LABEL, width - frame.length - 1 - textWidth(end));
        const left = room - textWidth(label);
        const beside = left < Math.min(MIN_PROGRESS, textWidth(progress)) ? "" : progress;
        const what = fitRow(label + beside, room);
        return `${this.theme.tool(frame)} ${what}${this.theme.quiet(end)}`;
    }

    private queuedRows(wayBack = "  ↑ edits it"): string[] {
        return this.queued.map((text, index) => {
            const [first = "", ...rest] = text.split("\n");
            const hint = index === this.queued.length - 1 ? wayBack : "";
            return this.theme.quiet(`  queued: ${first}${rest.length > 0 ? " …" : ""}${hint}`);
        });
    }
}

/** Stacks rows above a block. The cursor stays in the block. */
function stacked(above: readonly string[], { rows, cursor }: Block): Block {
    return {
        rows: [...above, ...rows],
        cursor: cursor && { ...cursor, row: above.length + cursor.row },
    };
}
