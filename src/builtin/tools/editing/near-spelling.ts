import { decoded, type ByteText } from "./byte-text.js";
import { lineNumberAt, type Span } from "./lines.js";
import { differenceAt, isSameLine, type NearMiss } from "./near-miss.js";
import { previewAt } from "./places.js";

/** Max characters around a place to search for white space. */
const NEARBY = 500;

/** Finds the first place where the text matches except for white space or case. */
export function findNearSpelling(text: ByteText, wanted: ByteText): NearMiss | undefined {
    const [file, sought] = [withoutSpace(text), withoutSpace(wanted)];
    if (sought.length === 0) return undefined;

    let index = file.indexOf(sought);
    if (index === -1) index = toLowerCase(file).indexOf(toLowerCase(sought));

    if (index === -1) return undefined;

    const start = offsetWithSpace(text, index);
    const end = start + offsetWithSpace(text.slice(start), sought.length - 1) + 1;
    const shift = file.includes(sought, index + 1)
        ? undefined
        : shiftOf(text, wanted, { start, end });
    return describe(text, wanted, { start, end }, shift);
}

/** Describes how much a block is indented differently, if all its lines differ by the same. */
function shiftOf(text: ByteText, wanted: ByteText, { start, end }: Span): string | undefined {
    const isFilled = (line: string) => line.trim() !== "";
    const yours = wanted.split("\n").filter(isFilled);
    const whole = text.slice(text.lastIndexOf("\n", start - 1) + 1, end);
    const theirs = whole.split("\n").filter(isFilled);
    if (yours.length < 2 || yours.length !== theirs.length) return undefined;
    const [shift, ...others] = new Set(yours.map((line, at) => lineShift(line, theirs[at] ?? "")));
    return others.length === 0 && shift ? `the file has ${shift} on each line` : undefined;
}

/** Returns, say, `4 more spaces`; empty if more than the indentation differs, or nothing does. */
function lineShift(yours: string, file: string): string {
    const [mine, theirs] = [indentOf(yours), indentOf(file)];
    if (yours.trim() !== file.trim() || mine === theirs) return "";
    const isMore = theirs.endsWith(mine);
    if (!isMore && !mine.endsWith(theirs)) return "";
    const [longer, shorter] = isMore ? [theirs, mine] : [mine, theirs];
    const [count, ...kind] = spaceName(longer.slice(0, longer.length - shorter.length)).split(" ");
    return `${count} ${isMore ? "more" : "fewer"} ${kind.join(" ")}`;
}

function indentOf(line: string): string {
    return /^[ \t]*/.exec(line)?.[0] ?? "";
}

// The following scan the whole file byte by byte: regexes take ten times as long.

function withoutSpace(text: ByteText): Buffer {
    const bytes = Buffer.from(text, "latin1");
    let length = 0;
    for (const byte of bytes) {
        bytes[length] = byte;
        length += isSpace(byte) ? 0 : 1;
    }
    return bytes.subarray(0, length);
}

/** Lowers ASCII letters only, so that offsets stay valid. */
function toLowerCase(bytes: Buffer): Buffer {
    bytes.forEach((byte, at) => {
        bytes[at] = byte >= 65 && byte <= 90 ? byte + 32 : byte;
    });
    return bytes;
}

/** Returns the offset of the character that follows `count` others, not counting white space. */
function offsetWithSpace(text: ByteText, count: number): number {
    let offset = 0;
    for (let seen = -1; offset < text.length; offset++) {
        seen += isSpace(text.charCodeAt(offset)) ? 0 : 1;
        if (seen === count) break;
    }
    return offset;
}

function isSpace(code: number): boolean {
    return code === 32 || (code >= 9 && code <= 13);
}

function describe(
    text: ByteText,
    wanted: ByteText,
    found: Span,
    shift: string | undefined
): NearMiss {
    const { start, end } = withOuterSpace(text, found, wanted);
    const [yourLines, fileLines] = [wanted.split("\n"), text.slice(start, end).split("\n")];
    const index = yourLines.findIndex((line, at) => !isSameLine(line, fileLines[at]));
    const at = index === -1 ? yourLines.length - 1 : index;
    const [yours, theirs] = [decoded(yourLines[at] ?? ""), decoded(fileLines[at] ?? "")];
    const reason =
        yourLines.length === fileLines.length
            ? reasonFor(yours, theirs)
            : "its line breaks are elsewhere in the file";
    const line = lineNumberAt(text, start) + at;
    const place = differenceAt(line, yours, theirs);
    return {
        reason: `${shift ?? reason} (line ${line})`,
        line,
        places: [place ?? { line, preview: previewAt(text, found.start) }],
    };
}

/** Extends a match by the white space around it, on sides where `wanted` has white space too. */
function withOuterSpace(text: ByteText, { start, end }: Span, wanted: ByteText): Span {
    const before = text.slice(Math.max(0, start - NEARBY), start);
    const after = text.slice(end, end + NEARBY);
    return {
        start:
            start -
            (/^[ \t]/.test(wanted) ? (/(?<![ \t])[ \t]*$/.exec(before)?.[0].length ?? 0) : 0),
        end: end + (outerSpaceOf(wanted)?.exec(after)?.[0].length ?? 0),
    };
}

/** What follows a match belongs to it only up to where `wanted` goes itself. */
function outerSpaceOf(wanted: ByteText): RegExp | undefined {
    if (/\n[ \t]*$/.test(wanted)) return /^[ \t\r]*\n?/;
    return /\s$/.test(wanted) ? /^[ \t]*/ : undefined;
}

function reasonFor(yours: string, file: string): string {
    const [mine, theirs] = [indentOf(yours), indentOf(file)];
    if (yours.trim() === file.trim() && mine !== theirs) {
        return `it is indented with ${spaceName(theirs)} in the file, with ${spaceName(mine)} in your text`;
    }

    if (yours.trimEnd() === file.trimEnd()) {
        return yours.length < file.length
            ? "the file has trailing whitespace there"
            : "your text has trailing whitespace that the file does not have";
    }
    const [bare, other] = [yours.replace(/\s/g, ""), file.replace(/\s/g, "")];
    return bare !== other && bare.toLowerCase() === other.toLowerCase()
        ? "upper and lower case are different in the file"
        : "its whitespace is different in the file";
}

function spaceName(space: string): string {
    if (space === "") return "nothing";

    const kinds = [space.includes("\t") ? "tabs" : "", space.includes(" ") ? "spaces" : ""];
    const name = kinds.filter((kind) => kind !== "").join(" and ");
    return `${space.length} ${space.length === 1 ? name.slice(0, -1) : name}`;
}
