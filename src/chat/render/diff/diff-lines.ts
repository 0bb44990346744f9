import type { FileDiff } from "../../../core/diff/diff.js";
import { shownName } from "../../../plugin/change-set.js";
import { shortenLine } from "../fold.js";
import { wrapVerbatim, type VerbatimLine } from "../rows.js";
import { showControls, visibleLine, visibleName } from "../../../base/safe-text.js";
import type { Theme } from "../../terminal/theme.js";
import type { DiffDetails, MarkedRange } from "./diff-details.js";
import type { CodeKind, CodeSpan } from "../code-colours.js";
import { counted, firstRows, formatInteger } from "../../../base/format.js";

export interface DiffStyle {
    readonly theme: Theme;
    /** Only added and removed lines are coloured if absent. */
    readonly details?: DiffDetails | undefined;
    /** Wrap width; no wrapping if absent. */
    readonly columns?: number;
    /** Fold long runs and very long lines. */
    readonly isShortened?: boolean;
}

/**
 * Each file's header with counts, then its hunks with code colours and changed words. Control
 * characters are made visible, so that nothing hides in what is approved.
 */
export function diffLines(diffs: readonly FileDiff[], style: DiffStyle): string[] {
    const { columns = Infinity } = style;
    const room = (indent: number): number => Math.max(columns, indent + MIN_COLUMNS);
    return diffs.flatMap((diff, index) => [
        ...(index > 0 ? [""] : []),
        fileHeader(diff, style.theme),
        ...diffRows([diff], style).flatMap((line) => wrapVerbatim(line, room(line.indent))),
    ]);
}

/** The unwrapped lines. A single file has no header. */
export function diffRows(diffs: readonly FileDiff[], style: DiffStyle): VerbatimLine[] {
    return diffs.flatMap((diff, index) => [
        ...(index > 0 && !isGitLine(diff) ? [{ text: "", indent: 0 }] : []),
        ...(diffs.length > 1
            ? [{ text: fileHeader(diff, style.theme), indent: 2, isHeading: true }]
            : []),
        ...(isGitLine(diff) ? [] : noteLines(diff.note, style.theme)),
        ...contentLines(diff, style),
    ]);
}

function fileHeader(diff: FileDiff, theme: Theme): string {
    const kind = kindNote(diff);
    const lines = `${theme.added(`+${formatInteger(diff.linesAdded)}`)} ${theme.removed(`-${formatInteger(diff.linesRemoved)}`)}`;
    const counts = diff.count === undefined ? lines : "";
    if (isGitLine(diff)) return theme.strong(gitText(diff));
    return `${theme.strong(visibleName(shownName(diff)))}${theme.quiet(kind)} ${counts}`;
}

/** Something in git's folder that has no diff. */
export function isGitLine({ isGit, diff }: FileDiff): boolean {
    return isGit === true && diff === "";
}

/** `Commit to main: "Fix retry" · 3 files +12 -4` */
export function gitText({ path, note }: FileDiff): string {
    return visibleLine(note === undefined ? path : `${path} · ${note}`);
}

/** ` (new file)` */
export function kindNote({ kind, path }: FileDiff): string {
    if (kind === "modified") return "";
    if (kind === "deleted") return " (deleted)";
    return path.endsWith("/") ? " (new folder)" : " (new file)";
}

/** A line of a hunk. `number` is absent if it has none. */
interface DiffLine {
    readonly sign: "+" | "-" | " " | "";
    readonly text: string;
    readonly number?: number;
    readonly hiddenCharacters?: number;
}

function isHeader({ sign, text }: DiffLine): boolean {
    return sign === "" && text.startsWith("@@");
}

const MIN_COLUMNS = 20;

function noteLines(note: string | undefined, theme: Theme): VerbatimLine[] {
    return note === undefined ? [] : [{ text: theme.strong(visibleLine(note)), indent: 0 }];
}

function contentLines({ path, realPath, diff }: FileDiff, style: DiffStyle): VerbatimLine[] {
    const { theme, details, isShortened = false } = style;
    if (diff === "") return [];
    const raw = diff.replace(/\n$/, "").split("\n");
    const firstHunk = raw.findIndex((line) => line.startsWith("@@"));
    if (firstHunk < 0) return raw.map((line) => ({ text: showControls(line), indent: 0 }));
    const all = readLines(raw.slice(firstHunk), style);
    // Rows have line numbers, so a single hunk needs no header.
    const isSingle = isShortened && all.filter(isHeader).length === 1;
    const lines = isSingle ? all.filter((line) => !isHeader(line)) : all;
    const width = lines.reduce((most, { number = 0 }) => Math.max(most, String(number).length), 1);
    const changed = details && changedParts(lines, details);
    return lines.map((line, index) => {
        const { sign, text, number, hiddenCharacters = 0 } = line;
        if (isHeader(line)) return { text: theme.hunk(text), indent: 0 };
        const side = sign === "-" ? "before" : "after";
        const spans = number === undefined ? undefined : details?.code(path, side, number);
        const content = lineParts(text, spans, changed?.get(index))
            .map((part) => styled(part, sign, theme))
            .join("");
        const lead = `${String(number ?? "").padStart(width)} `;
        const start = theme.quiet(lead) + baseOf(sign, theme)(sign);
        const isContext = sign === " ";
        const indent = lead.length + sign.length;
        const isAdded = sign === "+" && number !== undefined;
        return {
            ...{ text: start + content, indent, hiddenCharacters, isContext },
            ...(isAdded && { added: [{ path: realPath ?? path, line: number }] }),
        };
    });
}

/** Removed lines get their old number, all others the new one. */
function readLines(lines: readonly string[], { isShortened }: DiffStyle): DiffLine[] {
    const hidesReturns = lines.every((line) => !/^[-+ ]/.test(line) || line.endsWith("\r"));
    let [before, after] = [0, 0];
    const shows = blanksThatDiffer(lines);
    return lines.map((raw) => {
        const line = showControls(shows(hidesReturns ? raw.replace(/\r$/, "") : raw));
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

/** Makes blanks visible: at the end of a changed line, and where nothing else tells two lines apart. */
function blanksThatDiffer(lines: readonly string[]): (line: string) => string {
    const alike = (line: string) => line.slice(1).replaceAll("\t", "    ");
    const sides = ["-", "+"].map(
        (sign) =>
            new Map(
                lines.flatMap((line) => (line[0] === sign ? [[alike(line), line] as const] : []))
            )
    );
    const mark = (blanks: string) => blanks.replaceAll(" ", "␣").replaceAll("\t", "⇥");
    return (line) => {
        if (!/^[-+]/.test(line)) return line;
        const other = sides[line[0] === "-" ? 1 : 0]?.get(alike(line));
        const isTwin = other !== undefined && other.slice(1) !== line.slice(1);
        return line.replace(isTwin ? /[ \t]+/g : /(?<=\S)[ \t]+$/, mark);
    };
}

/** Max added lines skipped to find the match of a removed line. */
const MAX_SKIPPED = 5;

/** Pairs each removed line with the next similar added line, and finds the changed words. */
function changedParts(
    lines: readonly DiffLine[],
    { compare }: DiffDetails
): Map<number, readonly MarkedRange[]> {
    const changed = new Map<number, readonly MarkedRange[]>();
    let next = 0;
    for (const [index, { sign, text }] of lines.entries()) {
        if (sign !== "-") continue;
        if (next <= index) for (next = index + 1; lines[next]?.sign === "-";) next += 1;
        for (let at = next; at <= next + MAX_SKIPPED; at += 1) {
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

// Green and red mean added and removed, so code gets neither here, and only colours readable on
// both dark and light backgrounds.
function styled({ text, kind, isChanged }: LinePart, sign: DiffLine["sign"], theme: Theme): string {
    const base = baseOf(sign, theme);
    if (isChanged) return sign === "+" ? theme.addedWord(text) : theme.removedWord(text);
    if (kind === "keyword") return theme.keyword(text);
    if (kind === "string" || kind === "literal") return theme.code(text);
    if (kind === "name") return theme.strong(base(text));
    return kind === "comment" && sign === " " ? theme.quiet(text) : base(text);
}

/** A uniformly styled part of a line. */
interface LinePart {
    readonly text: string;
    readonly kind?: CodeKind | undefined;
    readonly isChanged: boolean;
}

/** Splits a line where the kind of code changes and where a changed range starts or ends. */
function lineParts(
    line: string,
    spans: readonly CodeSpan[] = [],
    changed: readonly MarkedRange[] = []
): LinePart[] {
    const code = spans.map(({ text }) => text).join("");
    // The diff's line may have more than the code (a carriage return), or be another line.
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

/** Max lines shown; the file has the rest. */
const MAX_LINES = 40;

/** A change as it remains in the transcript, below the line that names its file. */
export function settledDiff(
    diffs: readonly FileDiff[],
    style: DiffStyle,
    columns: number
): string[] {
    const lines = diffRows(diffs, { ...style, isShortened: true });
    const shown = firstRows(lines, MAX_LINES, (more) => ({
        text: style.theme.quiet(`… ${counted(more, "more line")}`),
        indent: 0,
    }));
    return shown.flatMap((line) => wrapVerbatim(line, columns - 2)).map((row) => `  ${row}`);
}
