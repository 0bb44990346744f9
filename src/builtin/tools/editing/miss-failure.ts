import { isUtf8 } from "node:buffer";
import type { JsonObject, ToolFailure } from "../../../plugin/index.js";
import { failure } from "../results.js";
import { decoded, encoded, type ByteText } from "./byte-text.js";
import { closestLines } from "./closest-lines.js";
import { countLines, lineNumberAt } from "./lines.js";
import { findMisreading } from "./misread-text.js";
import { matchLines, type Piece } from "./near-lines.js";
import { findNearSpelling } from "./near-spelling.js";
import { previewAt } from "./places.js";
import type { EditableText } from "./text-edit.js";
import { firstDifference, type Difference } from "./visible.js";

type Wanted = "text" | "anchor" | "end anchor";

/** What is near, and why it is not the same. */
interface NearMiss {
    readonly reason: string;
    /** 1-based, around which to read again. */
    readonly line?: number;
    readonly places: readonly JsonObject[];
}

/**
 * The failure for what is not in the file: it tells what is near, where the two part, and what to do
 * next. Nothing near is ever taken for the text itself.
 */
export function missFailure(text: EditableText, sought: string, kind: Wanted): ToolFailure {
    const near = findNear(text.body, encoded(sought));
    const reason = near?.reason ?? otherReason(text.body, sought);
    const changed = text.isChangedSinceRead
        ? " The file was changed by somebody else since you last read it."
        : "";
    return failure(
        kind === "text" ? "text-not-found" : "anchor-not-found",
        `The ${kind} is not in ${text.path}: ${reason}.${changed}`,
        nextStep(text.body, near?.line, kind),
        near?.places
    );
}

function findNear(body: ByteText, wanted: ByteText): NearMiss | undefined {
    const misreading = findMisreading(body, wanted);
    if (misreading !== undefined) {
        const line = lineNumberAt(body, misreading.offset);
        const place = { line, preview: previewAt(body, misreading.offset) };
        return { reason: misreading.reason, line, places: [place] };
    }
    const spelling = findNearSpelling(body, wanted);
    if (spelling !== undefined) {
        const { reason, line, difference, offset } = spelling;
        const place =
            difference === undefined
                ? { line, preview: previewAt(body, offset) }
                : asPlace(line, difference);
        return { reason: `${reason} (line ${line})`, line, places: [place] };
    }
    const fileLines = body.split("\n");
    return nearByLines(fileLines, wanted) ?? nearByCharacters(fileLines, wanted);
}

function nearByLines(fileLines: readonly ByteText[], wanted: ByteText): NearMiss | undefined {
    const { pieces, nearest } = matchLines(fileLines, wanted);
    if (pieces !== undefined && pieces.length > 1) {
        return {
            reason: `all its lines are there, but not together: ${pieces.map(pieceName).join(", ")}; use one edit for each`,
            line: pieces[0]?.line,
            places: pieces.map(({ line }) => ({
                line,
                preview: previewAt(fileLines[line - 1] ?? "", 0),
            })),
        };
    }
    if (nearest === undefined) return undefined;

    const { difference, line, same, of, startLine } = nearest;
    return {
        reason: `${same} of its ${of} lines are at line ${startLine} and below, the first that differs is line ${line}`,
        line,
        places: difference === undefined ? [] : [asPlace(line, difference)],
    };
}

function pieceName({ from, to, line }: Piece): string {
    const yours = from === to ? `its line ${from + 1}` : `its lines ${from + 1}-${to + 1}`;
    return `${yours} at ${from === to ? line : `${line}-${line + to - from}`}`;
}

function nearByCharacters(fileLines: readonly ByteText[], wanted: ByteText): NearMiss | undefined {
    const [first = ""] = wanted.split("\n").filter((line) => line.trim().length > 2);
    const close = closestLines(fileLines, first);
    if (close.length === 0) return undefined;

    const yours = decoded(first).trim();
    const places = close.map(({ line, text }) => {
        const file = decoded(text.slice(0, 4000)).trimEnd();
        const difference = firstDifference(yours, file, bestOffset(yours, file));
        return difference === undefined ? { line, preview: yours } : asPlace(line, difference);
    });
    return {
        reason: `the closest line is line ${close[0]?.line}`,
        line: close[0]?.line,
        places,
    };
}

/** Where in a line most of a text's beginning stands. */
function bestOffset(yours: string, file: string): number {
    let best = { offset: 0, length: 0 };
    for (let offset = 0; offset < file.length && best.length < yours.length; offset++) {
        let length = 0;
        while (length < yours.length && yours[length] === file[offset + length]) length += 1;

        best = length > best.length ? { offset, length } : best;
    }
    // In characters, as differences are counted.
    return [...file.slice(0, best.offset)].length;
}

function asPlace(line: number, { column, yours, file }: Difference): JsonObject {
    return { line, column, yours, file };
}

function otherReason(body: ByteText, sought: string): string {
    const isAscii = !/[^\0-\x7f]/.test(sought);
    if (!isAscii && !isUtf8(Buffer.from(body, "latin1"))) {
        return "the file is not UTF-8, so only ASCII text can be found in it";
    }

    return body === "" ? "the file is empty" : "nothing in it is similar";
}

function nextStep(body: ByteText, line: number | undefined, kind: Wanted): string {
    if (line === undefined) {
        return "Look for the right file and text with search_text, and read it before you edit.";
    }

    const range = `${Math.max(1, line - 5)}-${Math.min(countLines(body), line + 15)}`;
    return kind === "text"
        ? `Read lines ${range} with read_file (range) and copy the text exactly, or use an anchor.`
        : `Read lines ${range} with read_file (range) and copy the anchor exactly.`;
}
