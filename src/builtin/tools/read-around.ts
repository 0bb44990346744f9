import * as Type from "typebox";
import { counted } from "../../base/format.js";
import { readOnlyTool } from "./read-only-tool.js";
import { anchorAmbiguous, anchorNotFound, matchingLines } from "./reading/anchor-matches.js";
import { type LineRange } from "../../code/text/line-range.js";
import { MAX_BYTES, shortenAround } from "../../code/text/line-window.js";
import { readTextFile, type TextFile } from "../../code/text/text-file.js";
import { quoted } from "./reading/wording.js";
import { success } from "./results.js";
import { readOf } from "./equivalents.js";

const DEFAULT_BEFORE = 12;
const DEFAULT_AFTER = 20;
const MAX_SIDE = 200;
const MAX_LINE_LENGTH = 2000;

const side = (lines: number) =>
    Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_SIDE, default: lines }));

export const readAround = readOnlyTool({
    name: "read_around",
    description: "Read the numbered lines around a text in a file.",
    kind: "read",
    input: {
        path: Type.String(),
        anchor: Type.String({ minLength: 1, description: "Text within one line" }),
        before: side(DEFAULT_BEFORE),
        after: side(DEFAULT_AFTER),
        occurrence: Type.Optional(
            Type.Integer({ minimum: 1, description: "Needed when several lines match" })
        ),
    },
    equivalents: readOf,
    intent: (input) => `Reading ${input.path} at ${quoted(input.anchor)}`,
    async execute(input, { workspace, observe }) {
        const { path, anchor, before = DEFAULT_BEFORE, after = DEFAULT_AFTER } = input;
        const file = await readTextFile(workspace, path);
        const matches = matchingLines(file.lines, anchor);
        const choice = choose(file, anchor, matches, input.occurrence);
        if (!choice.ok) return choice;
        observe(file.path, file.hash);
        const { matchLine, occurrenceUsed } = choice;
        const range = {
            start: Math.max(1, matchLine - before),
            end: Math.min(file.lines.length, matchLine + after),
        };
        return success({
            path: file.path,
            ...(file.ignored && { ignored: file.ignored }),
            totalLines: file.lines.length,
            matchCount: matches.length,
            occurrenceUsed,
            matchLine,
            startLine: range.start,
            endLine: range.end,
            content: numbered(file.lines, range, matchLine, anchor),
            ...(file.note === undefined ? {} : { note: file.note }),
        });
    },
    summary: (data) => counted(data.endLine - data.startLine + 1, "line"),
    render({ path, matchLine, matchCount, occurrenceUsed, totalLines, content, note }) {
        const match = `match ${occurrenceUsed} of ${matchCount} at line ${matchLine}`;
        const title = `${path}, ${match} of ${counted(totalLines, "line")}`;
        return [title, ...(note === undefined ? [] : [`[${note}]`]), content].join("\n");
    },
});

function choose(
    file: TextFile,
    anchor: string,
    matches: readonly number[],
    occurrence: number | undefined
) {
    if (matches.length === 0) return anchorNotFound(file, anchor);
    if (occurrence === undefined && matches.length > 1) {
        const message = `${matches.length} lines of ${file.path} contain the anchor.`;
        return anchorAmbiguous(file, anchor, matches, message);
    }
    const used = occurrence ?? 1;
    const matchLine = matches[used - 1];
    if (matchLine !== undefined) return { ok: true as const, matchLine, occurrenceUsed: used };
    const found = `${file.path} contains the anchor on ${counted(matches.length, "line")}`;
    return anchorAmbiguous(file, anchor, matches, `There is no occurrence ${used}: ${found}.`);
}

/** The matching line is marked with `>`. */
function numbered(
    lines: readonly string[],
    range: LineRange,
    matchLine: number,
    anchor: string
): string {
    const width = String(range.end).length;
    const shown = lines.slice(range.start - 1, range.end);
    const size = shown.reduce((sum, line) => sum + Math.min(line.length, MAX_LINE_LENGTH), 0);
    // Long lines share the available space, so that none is dropped.
    const room = Math.floor(MAX_BYTES / 3 / shown.length);
    const length = size * 3 > MAX_BYTES ? Math.min(MAX_LINE_LENGTH, room) : MAX_LINE_LENGTH;
    return shown
        .map((line, index) => {
            const number = range.start + index;
            const isMatch = number === matchLine;
            const text = shortenAround(line, isMatch ? line.indexOf(anchor) : 0, length);
            return `${isMatch ? ">" : " "}${String(number).padStart(width)}: ${text}`;
        })
        .join("\n");
}
