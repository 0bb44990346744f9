import { wrapVerbatim, type VerbatimLine } from "../render/rows.js";
import { foldRepeatedLines, shortenLine } from "../render/fold.js";
import { counted } from "../../base/format.js";
import { showControls, stripControls } from "../../base/safe-text.js";

/** Untrusted text in a question: folded, with control characters made visible. */
export function bodyOf(text: string, style: (line: string) => string): VerbatimLine[] {
    const folded = foldRepeatedLines(
        showControls(text).split("\n"),
        (line) => line,
        (note) => note
    );
    return folded.map((line) => {
        const { text: shown, hiddenCharacters } = shortenLine(line);
        const indent = Math.min(20, (/^ */.exec(shown)?.[0].length ?? 0) + 2);
        return { text: style(shown), indent, hiddenCharacters };
    });
}

/** Indents a line below the title. */
export function indented<Line extends { readonly text: string; readonly indent: number }>(
    line: Line
): Line {
    return { ...line, text: `    ${line.text}`, indent: line.indent + 4 };
}

export interface Excerpt {
    readonly rows: readonly string[];
    /** What is not shown, in words; absent if nothing is hidden. */
    readonly hidden?: string;
    /** Whether the rows include the start, the end and the size. */
    readonly isRepresentative: boolean;
    /** Every line is shown, if not every character. */
    readonly isWhole: boolean;
    /** The lines that are shown to the last character. */
    readonly wholeLines: readonly VerbatimLine[];
}

/**
 * The whole body if it fits, else without its unchanged lines, else its start and end; with a note
 * of what is left out.
 */
export function excerptOf(whole: readonly VerbatimLine[], width: number, room: number): Excerpt {
    const excerpt = endsOf(whole, width, room);
    const changed = whole.filter(({ isContext = false }) => !isContext);
    const left = whole.length - changed.length;
    if (excerpt.isWhole || left === 0) return excerpt;
    const note = counted(left, "unchanged line");
    const rest = endsOf(changed, width, room - 1);
    if (!rest.isWhole) return endsOf(changed, width, room, whole);
    const at = whole.findIndex(({ isContext = false }) => isContext);
    const before = rowsFrom(whole.slice(0, at), width, room).rows.length;
    return {
        ...rest,
        rows: rest.rows.toSpliced(before, 0, `  ⋮ ${note} not shown (of ${sizeOf(whole)})`),
        hidden: [note, rest.hidden].filter((words) => words !== undefined).join(" and "),
        isWhole: false,
    };
}

/** The whole body if it fits, else its start and end. `whole` is the body whose size is named. */
function endsOf(
    body: readonly VerbatimLine[],
    width: number,
    room: number,
    whole: readonly VerbatimLine[] = body
): Excerpt {
    const cut = body.reduce((sum, { hiddenCharacters = 0 }) => sum + hiddenCharacters, 0);
    const { rows } = rowsFrom(body, width, room + 1);
    if (body === whole && rows.length <= room) {
        const hidden = cut > 0 ? { hidden: counted(cut, "character") } : {};
        const wholeLines = wholeIn(body, body);
        return { rows, ...hidden, isRepresentative: true, isWhole: true, wholeLines };
    }
    if (room < 2) {
        const hidden = sizeOf(whole);
        const shown = rows.slice(0, Math.max(0, room));
        const none = { isRepresentative: false, isWhole: false, wholeLines: [] };
        return { rows: shown, hidden, ...none };
    }
    if (room === 2) {
        return { ...smallest(body, width, sizeOf(whole)), isWhole: false, wholeLines: [] };
    }
    const head = rowsFrom(body, width, Math.ceil((room - 1) / 2));
    const tail = tailOf(body, width, Math.floor((room - 1) / 2), head.lines);
    const lines = whole.length - head.lines - tail.lines;
    const hiddenRows = (): number => rowsFrom(body, width, Infinity).rows.length - room + 1;
    const hidden = lines > 1 ? counted(lines, "line") : counted(hiddenRows(), "row");
    return {
        rows: [...head.rows, `  ⋮ ${hidden} not shown (of ${sizeOf(whole)})`, ...tail.rows],
        hidden,
        isRepresentative: showsEnd(tail.last, body),
        isWhole: false,
        wholeLines: wholeIn([...head.shown, ...tail.shown], body),
    };
}

/** Of lines with all their rows shown, those that show all there is to know of them. */
function wholeIn(
    shown: readonly VerbatimLine[],
    body: readonly VerbatimLine[]
): readonly VerbatimLine[] {
    const all = new Set(shown);
    return body.filter((line, index) => {
        const copied = line.isCount ? body[index - 1] : line;
        if (!copied || (copied.hiddenCharacters ?? 0) > 0) return false;
        return all.has(line) && all.has(copied);
    });
}

/** The last rows. Begun within a file that the first `shown` lines do not name, they repeat its name. */
function tailOf(body: readonly VerbatimLine[], width: number, room: number, shown: number) {
    const all = rowsFrom(body.toReversed(), width, room, "end");
    const shorter = rowsFrom(body.toReversed(), width, room - 1, "end");
    const from = body.length - shorter.lines;
    const at = body.findLastIndex(({ isHeading = false }, index) => isHeading && index < from);
    const heading = at < shown ? undefined : body[at];
    if (!heading || shorter.rows.length === 0) return { ...all, last: all.rows };
    const last = shorter.rows;
    const isNext = body.slice(from, from + 2).some(({ isHeading = false }) => isHeading);
    if (isNext) return { ...shorter, last };
    const [name = ""] = rowsFrom([heading], width, 1).rows;
    return { ...shorter, rows: [name, ...last], lines: shorter.lines + 1, last };
}

/** Min visible characters of a start that shares its row with the size, and of an end. */
const MIN_SEEN = 6;
/** What a row has besides the text: the line's number, and a mark or what is left of one. */
const NUMBER = /^[\s\d]*[-+]?\s*/;
const MARK = /⟨?n?o?⏎?⟩$/;

function seenIn(text: string): number {
    return stripControls(text).replace(MARK, "").replace(NUMBER, "").length;
}

/** A last row may hold no more than one character of a long line, or of the mark after it. */
function showsEnd(rows: readonly string[], body: readonly VerbatimLine[]): boolean {
    const seen = rows.reduce((sum, row) => sum + seenIn(row), 0);
    return seen >= Math.min(MIN_SEEN, seenIn(body.at(-1)?.text ?? ""));
}

/** The first row with the size appended, and the last row. */
function smallest(
    body: readonly VerbatimLine[],
    width: number,
    size: string
): Omit<Excerpt, "isWhole" | "wholeLines"> {
    const note = ` ⋮ ${size}`;
    const [first = ""] = rowsFrom(body, Math.max(1, width - note.length), 1).rows;
    const [last = ""] = rowsFrom(body.toReversed(), width, 1, "end").rows;
    return {
        rows: [first.trimStart() + note, last],
        hidden: size,
        isRepresentative:
            seenIn(first) >= Math.min(MIN_SEEN, seenIn(body[0]?.text ?? "")) &&
            showsEnd([last], body),
    };
}

function sizeOf(body: readonly VerbatimLine[]): string {
    if (body.length > 1) return counted(body.length, "line");
    const [line] = body;
    return counted(
        stripControls(line?.text ?? "").length + (line?.hiddenCharacters ?? 0),
        "character"
    );
}

/** The first or last `room` rows. `shown` are the lines with all their rows, and `lines` is their number. */
function rowsFrom(
    lines: readonly VerbatimLine[],
    width: number,
    room: number,
    side: "start" | "end" = "start"
): {
    readonly rows: string[];
    readonly lines: number;
    readonly shown: readonly VerbatimLine[];
} {
    const rows: string[] = [];
    const shown: VerbatimLine[] = [];
    for (const line of lines) {
        if (rows.length >= room) break;
        const all = wrapVerbatim(line, width);
        const left = room - rows.length;
        const taken = side === "start" ? all.slice(0, left) : all.slice(-left);
        if (side === "start") rows.push(...taken);
        else rows.unshift(...taken);
        if (taken.length === all.length) shown.push(line);
    }
    return { rows, lines: shown.length, shown };
}
