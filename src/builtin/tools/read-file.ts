import * as Type from "typebox";
import { countedAtLeast } from "../../base/format.js";
import { mediaRefusal, mediaTypeOf } from "../../base/media-type.js";
import type { ToolFailure, Workspace, FileContent, ToolResult } from "../../plugin/index.js";
import { type InputOf, readOnlyTool } from "./read-only-tool.js";
import { anchorNotFound, matchingLines } from "./reading/anchor-matches.js";
import { digestOfReading, LAST_LINES, namesLeftOut } from "./reading/digest-of-reading.js";
import { fitRange, lineRangeSchema, type LineRange } from "../../code/text/line-range.js";
import {
    cutWindow,
    MAX_LINES,
    sectionOf,
    type LineSection,
    type LineWindow,
} from "../../code/text/line-window.js";
import { enclosingBlock, importsOf } from "./reading/source-parts.js";
import { renderReading, type ReadFileData } from "./reading/render-reading.js";
import {
    MAX_FILE_BYTES,
    readTextLines,
    textFileOf,
    type TextFile,
} from "../../code/text/text-file.js";
import { quoted, rangeSuffix } from "./reading/wording.js";
import { failure, success } from "./results.js";
import { readOf } from "./equivalents.js";

const DEFAULT_WINDOW_LINES = 20;
const ORIENTATION_LINES = 10;
const ORIENTATION_LINE_LENGTH = 400;
const MAX_IMPORT_LINES = 100;

const fields = {
    path: Type.String(),
    range: Type.Optional(lineRangeSchema),
    includeHeadTail: Type.Optional(
        Type.Boolean({ description: "Add the first and last 10 lines" })
    ),
    includeContext: Type.Optional(
        Type.Enum(["imports", "full"], {
            description: "Add the imports, or widen to the whole enclosing block",
        })
    ),
    aroundMatch: Type.Optional(
        Type.String({ minLength: 1, description: "Text in a line; instead of range" })
    ),
    windowLines: Type.Optional(
        Type.Integer({
            minimum: 0,
            maximum: 249,
            default: DEFAULT_WINDOW_LINES,
            description: "Lines each side of aroundMatch",
        })
    ),
};

type ReadFileInput = InputOf<typeof fields>;

interface Selection {
    readonly ok: true;
    readonly range: LineRange;
    readonly match?: { readonly matchLine: number; readonly matchCount: number };
}

export const readFile = readOnlyTool({
    name: "read_file",
    isEssential: true,
    description: `Read a text file or a range of it, at most ${MAX_LINES} lines or 100 KB; or an image or PDF.`,
    kind: "read",
    input: fields,
    equivalents: readOf,
    intent(input) {
        const match = input.aroundMatch;
        const where = match === undefined ? rangeSuffix(input.range) : ` at ${quoted(match)}`;
        return `Reading ${input.path}${where}`;
    },
    async execute(input, { workspace, signal, observe }) {
        if (input.range !== undefined && input.aroundMatch !== undefined) {
            return failure("invalid-input", "Give either range or aroundMatch, not both.");
        }

        const { range, includeContext, includeHeadTail } = input;
        if (range !== undefined && includeContext === undefined && includeHeadTail !== true) {
            const lines = await linesOnly(workspace, input.path, range, signal);
            if (lines !== undefined) {
                observe(lines.data.path, lines.hash);
                return success(lines.data);
            }
        }
        const read = await workspace.read(input.path, { maxBytes: MAX_FILE_BYTES });
        const mediaType = mediaTypeOf(read.bytes);
        if (mediaType !== undefined) {
            observe(read.path, read.hash);
            return mediaReading(read, mediaType);
        }
        const file = textFileOf(read);
        const selection = select(file, input);
        if (!selection.ok) return selection;
        observe(file.path, file.hash);
        return success(await answer(file, selection, input, signal));
    },
    summary: (data) =>
        data.mediaType ?? countedAtLeast(data.endLine - data.startLine + 1, "line", data),
    render: renderReading,
    digest: (data, input) =>
        data.mediaType === undefined && input.range === undefined && input.aroundMatch === undefined
            ? digestOfReading(data)
            : undefined,
});

/** Reads lines of a file of any size; `undefined` if it must be read whole. */
async function linesOnly(
    workspace: Workspace,
    path: string,
    range: LineRange,
    signal: AbortSignal
): Promise<{ readonly data: ReadFileData; readonly hash: string } | undefined> {
    const most = { start: range.start, end: Math.min(range.end, range.start + MAX_LINES) };
    const file = await readTextLines(workspace, path, most, signal);
    if (file === undefined) return undefined;
    const { start, end } = fitRange(range, file.totalLines, file.path);
    const window = cutWindow(file.lines, { start: 1, end: end - start + 1 });
    const data = {
        path: file.path,
        ...window,
        startLine: start,
        endLine: start + window.endLine - 1,
        totalLines: file.totalLines,
        ...(file.ignored && { ignored: file.ignored }),
        ...(file.note === undefined ? {} : { note: file.note }),
    };
    return { data, hash: file.hash };
}

function select(file: TextFile, input: ReadFileInput): Selection | ToolFailure {
    const { range, aroundMatch, windowLines = DEFAULT_WINDOW_LINES } = input;
    const total = file.lines.length;
    if (range !== undefined) return { ok: true, range: fitRange(range, total, file.path) };
    if (aroundMatch === undefined) return { ok: true, range: { start: 1, end: total } };
    const matches = matchingLines(file.lines, aroundMatch);
    const [matchLine] = matches;
    if (matchLine === undefined) return anchorNotFound(file, aroundMatch);
    return {
        ok: true,
        range: {
            start: Math.max(1, matchLine - windowLines),
            end: Math.min(total, matchLine + windowLines),
        },
        match: { matchLine, matchCount: matches.length },
    };
}

async function answer(
    file: TextFile,
    selection: Selection,
    input: ReadFileInput,
    signal: AbortSignal
): Promise<ReadFileData> {
    const { path, lines } = file;
    const isWhole = input.range === undefined && selection.match === undefined;
    const wanted =
        input.includeContext === "full" && !isWhole
            ? await widened(file, selection, signal)
            : { range: selection.range };
    const isOriented = input.includeHeadTail === true;
    const shown = isOriented ? withoutGaps(wanted.range, lines.length) : wanted.range;
    const window = windowWith(lines, shown, selection.match?.matchLine);
    const names = isWhole ? await namesLeftOut(file, window.content.length, signal) : [];
    const imports = input.includeContext === "imports" ? await importsOf(file, signal) : undefined;
    const notes = [file.note, wanted.note].filter((note) => note !== undefined);
    return {
        path,
        ...window,
        totalLines: lines.length,
        ...(file.ignored && { ignored: file.ignored }),
        ...orientation(lines, window, { isOriented, isWhole }),
        ...(imports === undefined ? {} : importsOutside(lines, imports, window)),
        ...selection.match,
        ...(names.length === 0 ? {} : { names }),
        ...(notes.length === 0 ? {} : { note: notes.join(" ") }),
    };
}

/** Widens a range within the first or last lines, which would lack those on its other side. */
function withoutGaps({ start, end }: LineRange, total: number): LineRange {
    const headEnd = Math.min(ORIENTATION_LINES, total);
    const tailStart = Math.max(1, total - ORIENTATION_LINES + 1);
    return {
        start: end >= tailStart ? Math.min(start, Math.max(tailStart, headEnd + 1)) : start,
        end: start <= headEnd ? Math.max(end, Math.min(headEnd, tailStart - 1)) : end,
    };
}

/** Returns a window that includes the matching line, however long the lines before it are. */
function windowWith(
    lines: readonly string[],
    range: LineRange,
    matchLine = range.start
): LineWindow {
    const window = cutWindow(lines, range);
    return window.endLine >= matchLine || range.end < matchLine
        ? window
        : { ...cutWindow(lines, { start: matchLine, end: range.end }), truncated: true };
}

/** Widens to the enclosing block; if that is too long, keeps the range and adds a note. */
async function widened(
    file: TextFile,
    { range, match }: Selection,
    signal: AbortSignal
): Promise<{ readonly range: LineRange; readonly note?: string }> {
    const center = match === undefined ? range : { start: match.matchLine, end: match.matchLine };
    const block = await enclosingBlock(file, center, signal);
    if (block.end - block.start < MAX_LINES) return { range: block };
    return { range, note: `The enclosing block is long: lines ${block.start}-${block.end}.` };
}

/** Adds the tail of a truncated file, which is worth a few lines even if not requested. */
function orientation(
    lines: readonly string[],
    window: LineSection & { readonly truncated: boolean },
    { isOriented, isWhole }: { readonly isOriented: boolean; readonly isWhole: boolean }
): Pick<ReadFileData, "head" | "tail"> {
    const head = { start: 1, end: Math.min(ORIENTATION_LINES, window.startLine - 1) };
    const last = isWhole ? LAST_LINES : ORIENTATION_LINES;
    const tail = {
        start: Math.max(lines.length - last, window.endLine) + 1,
        end: lines.length,
    };
    const hasTail = tail.start <= tail.end && (isOriented || (isWhole && window.truncated));
    return {
        ...(isOriented && head.end >= 1
            ? { head: sectionOf(lines, head, ORIENTATION_LINE_LENGTH) }
            : {}),
        ...(hasTail ? { tail: sectionOf(lines, tail, ORIENTATION_LINE_LENGTH) } : {}),
    };
}

function importsOutside(
    lines: readonly string[],
    imports: LineRange,
    window: LineSection
): Pick<ReadFileData, "imports"> {
    const end = Math.min(imports.end, window.startLine - 1, imports.start + MAX_IMPORT_LINES - 1);
    if (end < imports.start) return {};
    const range = { start: imports.start, end };
    return { imports: sectionOf(lines, range, ORIENTATION_LINE_LENGTH) };
}

const NO_LINES = {
    content: "",
    startLine: 0,
    endLine: 0,
    totalLines: 0,
    truncated: false,
} as const;

function mediaReading({ path, bytes }: FileContent, mediaType: string): ToolResult<ReadFileData> {
    const content = Buffer.from(bytes);
    const refusal = mediaRefusal(mediaType, content);
    if (refusal !== undefined) {
        const hint = "Make it smaller, or ask the user for a smaller version.";
        return failure("too-large", `${path} ${refusal}.`, hint);
    }
    const data = content.toString("base64");
    const part =
        mediaType === "application/pdf"
            ? ({ type: "document", mediaType, data, name: path } as const)
            : ({ type: "image", mediaType, data, name: path } as const);
    return success({ path, mediaType, sizeBytes: bytes.length, ...NO_LINES }, { content: [part] });
}
