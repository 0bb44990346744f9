import type { FileDiff } from "../../../core/approval/approver.js";
import { shortenLine } from "../fold.js";
import { wrapVerbatim, type VerbatimLine } from "../rows.js";
import { showControls } from "../../../base/safe-text.js";
import type { Theme } from "../../terminal/theme.js";
import type { DiffDetails, Range } from "./diff-details.js";
import type { CodeKind, CodeSpan } from "../code-colours.js";
import { counted } from "../../../base/format.js";

export interface DiffStyle {
    readonly theme: Theme;
    /** Absent where nothing but what was added and removed is told. */
    readonly details?: DiffDetails | undefined;
    /** Longer lines go on below their beginning; never if absent. */
    readonly columns?: number;
    /** Long runs and very long lines are folded. */
    readonly isShortened?: boolean;
}

/**
 * For each file a header with its counts, then its hunks in the colours of code, the changed words marked.
 * Invisible characters are shown, so that nothing hides in what is approved.
 */
export function diffLines(diffs: readonly FileDiff[], style: DiffStyle): string[] {
    const { columns = Infinity } = style;
    const room = (indent: number): number => Math.max(columns, indent + LEAST_COLUMNS);
    return diffs.flatMap((diff, index) => [
        ...(index > 0 ? [""] : []),
        fileHeader(diff, style.theme),
        ...diffRows([diff], style).flatMap((line) => wrapVerbatim(line, room(line.indent))),
    ]);
}

/** The lines of the same; the only file has no header. */
export function diffRows(diffs: readonly FileDiff[], style: DiffStyle): VerbatimLine[] {
    return diffs.flatMap((diff, index) => [
        ...(index > 0 ? [{ text: "", indent: 0 }] : []),
        ...(diffs.length > 1 ? [{ text: fileHeader(diff, style.theme), indent: 2 }] : []),
        ...hunkLines(diff, style),
    ]);
}

function fileHeader(diff: FileDiff, theme: Theme): string {
    const kind = { created: "new file", modified: "", deleted: "deleted" }[diff.kind];
    const counts = `${theme.added(`+${diff.linesAdded}`)} ${theme.removed(`-${diff.linesRemoved}`)}`;
    const note = kind === "" ? "" : theme.quiet(` (${kind})`);
    return `${theme.strong(showControls(diff.path).replaceAll("\n", "^J"))}${note} ${counts}`;
}

/** A line of a hunk; `number` is absent where none belongs to it. */
interface DiffLine {
    readonly sign: "+" | "-" | " " | "";
    readonly text: string;
    readonly number?: number;
    readonly hiddenCharacters?: number;
}

/** Less room than this is no room for code. */
const LEAST_COLUMNS = 20;

function hunkLines({ path, diff, note }: FileDiff, style: DiffStyle): VerbatimLine[] {
    return [...noteLines(note, style.theme), ...contentLines(path, diff, style)];
}

function noteLines(note: string | undefined, theme: Theme): VerbatimLine[] {
    return note === undefined ? [] : [{ text: theme.strong(showControls(note)), indent: 0 }];
}

function contentLines(path: string, diff: string, style: DiffStyle): VerbatimLine[] {
    const { theme, details, isShortened = false } = style;
    if (diff === "") return [];
    const raw = diff.replace(/\n$/, "").split("\n");
    const firstHunk = raw.findIndex((line) => line.startsWith("@@"));
    if (firstHunk < 0) return raw.map((line) => ({ text: showControls(line), indent: 0 }));
    const lines = readLines(raw.slice(firstHunk), isShortened);
    const width = lines.reduce((most, { number = 0 }) => Math.max(most, String(number).length), 1);
    const changed = details && changedParts(lines, details);
    return lines.map((line, index) => {
        const { sign, text, number, hiddenCharacters = 0 } = line;
        if (text.startsWith("@@") && sign === "") return { text: theme.hunk(text), indent: 0 };
        const side = sign === "-" ? "before" : "after";
        const spans = number === undefined ? undefined : details?.code(path, side, number);
        const content = lineParts(text, spans, changed?.get(index))
            .map((part) => styled(part, sign, theme))
            .join("");
        const lead = `${String(number ?? "").padStart(width)} `;
        const start = theme.quiet(lead) + baseOf(sign, theme)(sign);
        return { text: start + content, indent: lead.length + sign.length, hiddenCharacters };
    });
}

/** Removed lines have the number they had, all others the one they will have. */
function readLines(lines: readonly string[], isShortened: boolean): DiffLine[] {
    const hidesReturns = lines.every((line) => !/^[-+ ]/.test(line) || line.endsWith("\r"));
    let [before, after] = [0, 0];
    return lines.map((raw) => {
        const line = showControls(hidesReturns ? raw.replace(/\r$/, "") : raw);
        const [, oldStart, newStart] = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(line) ?? [];
        if (oldStart !== undefined) [before, after] = [Number(oldStart), Number(newStart)];
        const sign = line[0];
        const shown = isShortened ? shortenLine(line.slice(1)) : { text: line.slice(1) };
        if (sign === "-") return { sign, ...shown, number: before++ };
        if (sign === "+") return { sign, ...shown, number: after++ };
        if (sign !== " ") return { sign: "", text: line };
        before += 1;
        return { sign, ...shown, number: after++ };
    });
}

/** How many added lines further on the one may be that a removed line became. */
const MOST_SKIPPED = 5;

/** What changed in the lines that became others: each removed line and the next one like it. */
function changedParts(
    lines: readonly DiffLine[],
    { compare }: DiffDetails
): Map<number, readonly Range[]> {
    const changed = new Map<number, readonly Range[]>();
    let next = 0;
    for (const [index, { sign, text }] of lines.entries()) {
        if (sign !== "-") continue;
        if (next <= index) for (next = index + 1; lines[next]?.sign === "-";) next += 1;
        for (let at = next; at <= next + MOST_SKIPPED; at += 1) {
            const added = lines[at];
            if (added?.sign !== "+") break;
            const words = compare(text, added.text);
            if (!words) continue;
            changed.set(index, words.removed).set(at, words.added);
            next = at + 1;
            break;
        }
    }
    return changed;
}

function baseOf(sign: DiffLine["sign"], theme: Theme): (text: string) => string {
    if (sign === "+") return theme.added;
    return sign === "-" ? theme.removed : (text) => text;
}

// What was added and removed is told by green and red, so that code here has neither of its own, and
// nothing that is hard to read on a background that may be dark or light.
function styled({ text, kind, isChanged }: LinePart, sign: DiffLine["sign"], theme: Theme): string {
    const base = baseOf(sign, theme);
    if (isChanged) return sign === "+" ? theme.addedWord(text) : theme.removedWord(text);
    if (kind === "keyword") return theme.keyword(text);
    if (kind === "string" || kind === "literal") return theme.code(text);
    if (kind === "name") return theme.strong(base(text));
    return kind === "comment" && sign === " " ? theme.quiet(text) : base(text);
}

/** A part of a line that looks the same from its beginning to its end. */
export interface LinePart {
    readonly text: string;
    readonly kind?: CodeKind | undefined;
    readonly isChanged: boolean;
}

/** Cuts a line where its code changes its kind and where a changed part begins or ends. */
export function lineParts(
    line: string,
    spans: readonly CodeSpan[] = [],
    changed: readonly Range[] = []
): LinePart[] {
    const code = spans.map(({ text }) => text).join("");
    // What a diff shows may be more than the line (a carriage return), or another one.
    const known = line.startsWith(code) ? spans : [];
    const rest = known.length > 0 ? line.slice(code.length) : line;
    const borders = changed.flatMap(({ from, to }) => [from, to]);
    let position = 0;
    return [...known, { text: rest, kind: undefined }].flatMap(({ text, kind }) => {
        const start = position;
        position += text.length;
        const cuts = [start, ...borders.filter((at) => at > start && at < position)];
        return cuts.flatMap((from, index) => {
            const part = text.slice(from - start, (cuts[index + 1] ?? position) - start);
            const isChanged = changed.some((range) => range.from <= from && from < range.to);
            return part === "" ? [] : { text: part, kind, isChanged };
        });
    });
}

/** More of a change is in the file. */
const MOST_LINES = 40;

/** A change as it stays in the transcript, below the line that names its file. */
export function settledDiff(
    diffs: readonly FileDiff[],
    style: DiffStyle,
    columns: number
): string[] {
    const lines = diffRows(diffs, { ...style, isShortened: true });
    const shown = lines.slice(0, lines.length > MOST_LINES ? MOST_LINES : undefined);
    const rows = shown.flatMap((line) => wrapVerbatim(line, columns - 2));
    const more = lines.length - shown.length;
    const note = more > 0 ? [style.theme.quiet(`… ${counted(more, "more line")}`)] : [];
    return [...rows, ...note].map((row) => `  ${row}`);
}
