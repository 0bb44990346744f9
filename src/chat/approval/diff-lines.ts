import type { FileDiff } from "../../core/approval/approver.js";
import { count } from "../render/format.js";
import { showControls } from "../terminal/safe-text.js";
import type { Theme } from "../terminal/theme.js";

/** Compares two lines word by word. */
export type WordDiff = (
    before: string,
    after: string
) => readonly { readonly value: string; readonly added: boolean; readonly removed: boolean }[];

/** Lines that differ in more than this share of their characters have no words in common to show. */
const MOST_CHANGED = 0.6;
const LONGEST_COMPARED = 500;

/**
 * The lines of a review: for each file a header with its counts, then its hunks in colour with line
 * numbers, the changed words marked where there is a `wordDiff`. Invisible characters are shown, so
 * that nothing hides in what is approved.
 */
export function diffLines(diffs: readonly FileDiff[], theme: Theme, wordDiff?: WordDiff): string[] {
    return diffs.flatMap((diff) => [fileHeader(diff, theme), ...hunkLines(diff, theme, wordDiff)]);
}

/** The first lines, and a sign of how many follow. */
export function cutLines(
    lines: readonly string[],
    limit: number,
    theme: Theme
): { readonly shown: readonly string[]; readonly rest: readonly string[] } {
    const rest = lines.slice(limit);
    if (rest.length === 0) return { shown: lines, rest };
    const note = theme.quiet(`… ${count(rest.length, "more line")}; v shows the rest`);
    return { shown: [...lines.slice(0, limit), note], rest };
}

function fileHeader(diff: FileDiff, theme: Theme): string {
    const kind = { created: "new file", modified: "", deleted: "deleted" }[diff.kind];
    const counts = `${theme.added(`+${diff.linesAdded}`)} ${theme.removed(`-${diff.linesRemoved}`)}`;
    const note = kind === "" ? "" : theme.quiet(` (${kind})`);
    return `${theme.strong(showControls(diff.path).replaceAll("\n", "^J"))}${note} ${counts}`;
}

/** A line of a hunk; `number` is absent where none belongs to it. */
interface DiffLine {
    readonly text: string;
    readonly number?: number;
}

function hunkLines({ diff }: FileDiff, theme: Theme, wordDiff: WordDiff | undefined): string[] {
    const lines = diff.replace(/\n$/, "").split("\n");
    const firstHunk = lines.findIndex((line) => line.startsWith("@@"));
    const content = firstHunk < 0 ? lines : lines.slice(firstHunk);
    const hidesReturns = content.every((line) => !/^[-+ ]/.test(line) || line.endsWith("\r"));
    const numbered = numberLines(
        content.map((line) => showControls(hidesReturns ? line.replace(/\r$/, "") : line))
    );
    const width = String(Math.max(0, ...numbered.map(({ number = 0 }) => number))).length;
    const partners = wordDiff && !theme.isPlain ? pairLines(numbered) : new Map<number, number>();
    return numbered.map((line, index) => {
        const partner = numbered[partners.get(index) ?? -1]?.text;
        const words =
            partner && wordDiff ? markWords(line.text, partner, theme, wordDiff) : undefined;
        const gutter = `${String(line.number ?? "").padStart(width)} `;
        const shown = words ?? styledLine(line.text, theme);
        return firstHunk < 0 || line.text.startsWith("@@") ? shown : theme.quiet(gutter) + shown;
    });
}

function styledLine(text: string, theme: Theme): string {
    if (text.startsWith("+")) return theme.added(text);
    if (text.startsWith("-")) return theme.removed(text);
    return text.startsWith("@@") ? theme.hunk(text) : text;
}

/** Removed lines have the number they had, all others the one they will have. */
function numberLines(lines: readonly string[]): DiffLine[] {
    let [before, after] = [0, 0];
    return lines.map((text) => {
        const [, oldStart, newStart] = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(text) ?? [];
        if (oldStart !== undefined) [before, after] = [Number(oldStart), Number(newStart)];
        else if (text.startsWith("-")) return { text, number: before++ };
        else if (text.startsWith("+")) return { text, number: after++ };
        else if (text.startsWith(" ")) {
            before += 1;
            return { text, number: after++ };
        }
        return { text };
    });
}

/** Which removed line became which added one: the first of a block the first, and so on. */
function pairLines(lines: readonly DiffLine[]): Map<number, number> {
    const partners = new Map<number, number>();
    const isSign = (index: number, sign: string): boolean =>
        lines[index]?.text.startsWith(sign) ?? false;
    for (let start = 0; start < lines.length; start += 1) {
        if (!isSign(start, "-")) continue;
        let middle = start;
        while (isSign(middle, "-")) middle += 1;
        for (let step = 0; start + step < middle && isSign(middle + step, "+"); step += 1) {
            partners.set(start + step, middle + step);
            partners.set(middle + step, start + step);
        }
        start = middle - 1;
    }
    return partners;
}

/** The line with what its partner has not marked; `undefined` where nearly all is another. */
function markWords(
    line: string,
    partner: string,
    theme: Theme,
    wordDiff: WordDiff
): string | undefined {
    if (Math.max(line.length, partner.length) > LONGEST_COMPARED) return undefined;
    const isAdded = line.startsWith("+");
    const parts = wordDiff(partner.slice(1), line.slice(1)).filter(({ removed }) => !removed);
    const changed = parts.reduce((sum, { added, value }) => sum + (added ? value.length : 0), 0);
    if (changed > (line.length - 1) * MOST_CHANGED) return undefined;
    const [same, different] = isAdded
        ? [theme.added, theme.addedWord]
        : [theme.removed, theme.removedWord];
    const words = parts.map(({ value, added }) => (added ? different(value) : same(value)));
    return same(line.slice(0, 1)) + words.join("");
}
