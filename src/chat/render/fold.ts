import { counted } from "../../base/format.js";

/** Max length of a repeated unit. */
const MAX_UNIT_LENGTH = 16;
/** Shorter runs are layout. */
const [SHORTEST_BLANK, SHORTEST_RUN] = [40, 120];
const MIN_COPIES = 4;
/** Longer lines show both ends only. */
const MAX_LINE_LENGTH = 6_000;
const [MIN_BLANK_LINES, MIN_EQUAL_LINES] = [3, 5];

/** Folds long runs into counts (`⟨␣ ×3000⟩`), so that they cannot push text off the screen. */
function foldRuns(line: string): string {
    if (line.length < SHORTEST_BLANK) return line;
    let folded = "";
    let copied = 0;
    for (let at = 0; at < line.length;) {
        const run = runAt(line, at);
        if (!run) {
            at += 1;
            continue;
        }
        const name = run.unit.replaceAll(" ", "␣").replaceAll("\t", "⇥");
        folded += `${line.slice(copied, at)}⟨${name} ×${run.copies}⟩`;
        at += run.unit.length * run.copies;
        copied = at;
    }
    return folded + line.slice(copied);
}

function runAt(line: string, at: number): { unit: string; copies: number } | undefined {
    const isBlank = line[at] === " " || line[at] === "\t";
    const shortest = isBlank ? SHORTEST_BLANK : SHORTEST_RUN;
    for (let size = 1; size <= MAX_UNIT_LENGTH; size += 1) {
        if (line[at] !== line[at + size]) continue;
        let end = at + size + 1;
        while (end < line.length && line[end] === line[end - size]) end += 1;
        const copies = Math.floor((end - at) / size);
        if (copies >= MIN_COPIES && copies * size >= shortest) {
            return { unit: line.slice(at, at + size), copies };
        }
    }
    return undefined;
}

/** Folds runs of blank lines (`⏎ ×60`) and of equal lines. `note` makes the line with the count. */
export function foldRepeatedLines<Line>(
    lines: readonly Line[],
    keyOf: (line: Line) => unknown,
    note: (text: string, copies: readonly Line[]) => Line
): Line[] {
    const folded: Line[] = [];
    for (let at = 0; at < lines.length;) {
        const [line] = lines.slice(at, at + 1);
        if (line === undefined) break;
        const key = keyOf(line);
        let end = at + 1;
        for (let next = lines[end]; next !== undefined && keyOf(next) === key; next = lines[end]) {
            end += 1;
        }
        const amount = end - at;
        const isBlank = typeof key === "string" && /^[-+]?\s*$/.test(key);
        if (isBlank && amount >= MIN_BLANK_LINES) {
            folded.push(note(`${key.trim()}⏎ ×${amount}`, lines.slice(at, end)));
        } else if (amount >= MIN_EQUAL_LINES) {
            folded.push(line, note(`⟨the same line ×${amount}⟩`, lines.slice(at + 1, end)));
        } else {
            folded.push(...lines.slice(at, end));
        }
        at = end;
    }
    return folded;
}

/** A line for a review: folded, and cut in the middle if still very long. */
export function shortenLine(line: string): {
    readonly text: string;
    readonly hiddenCharacters: number;
} {
    const text = foldRuns(line);
    const hiddenCharacters = text.length - MAX_LINE_LENGTH;
    if (hiddenCharacters <= 0) return { text, hiddenCharacters: 0 };
    const half = MAX_LINE_LENGTH / 2;
    const note = `⟨… ${counted(hiddenCharacters, "character")} …⟩`;
    return { text: `${text.slice(0, half)}${note}${text.slice(-half)}`, hiddenCharacters };
}
