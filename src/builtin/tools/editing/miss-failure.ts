import { isUtf8 } from "node:buffer";
import type { ToolFailure } from "../../../plugin/index.js";
import { failure } from "../results.js";
import { encoded, type ByteText, decoded } from "./byte-text.js";
import type { EditableText } from "./edit-tool.js";
import { countLines } from "../../../code/chunks.js";
import { findMisreading } from "./misread-text.js";
import { type NearMiss, differenceAt, isSameLine } from "./near-miss.js";
import { findNearSpelling } from "./near-spelling.js";
import { distance } from "fastest-levenshtein";
import { previewAt } from "./places.js";

type MissingText = "text" | "anchor" | "end anchor";

/**
 * Builds the failure for text that is not in the file: what is similar, where it differs, and what
 * to do next. Never treats similar text as a match.
 */
export function missFailure(text: EditableText, sought: string, kind: MissingText): ToolFailure {
    const near = findNear(text.body, encoded(sought));
    const reason = near?.reason ?? otherReason(text.body, sought);
    const changed = text.isChangedSinceRead
        ? " The file was changed outside North since you last read it."
        : "";
    return failure(
        kind === "text" ? "text-not-found" : "anchor-not-found",
        `The ${kind} is not in ${text.path}: ${reason}.${changed}`,
        nextStep(text.body, near?.line, kind),
        near?.places
    );
}

function findNear(body: ByteText, wanted: ByteText): NearMiss | undefined {
    const near = findMisreading(body, wanted) ?? findNearSpelling(body, wanted);
    if (near !== undefined) return near;
    const fileLines = body.split("\n");
    return findNearLines(fileLines, wanted) ?? findClosestLines(fileLines, wanted);
}

function otherReason(body: ByteText, sought: string): string {
    const isAscii = !/[^\0-\x7f]/.test(sought);
    if (!isAscii && !isUtf8(Buffer.from(body, "latin1"))) {
        return "the file is not UTF-8, so only ASCII text can be found in it";
    }
    return body === "" ? "the file is empty" : "nothing in it is similar";
}

function nextStep(body: ByteText, line: number | undefined, kind: MissingText): string {
    if (line === undefined) {
        return "Look for the right file and text with search_text, and read it before you edit.";
    }
    const range = `${Math.max(1, line - 5)}-${Math.min(countLines(body), line + 15)}`;
    return kind === "text"
        ? `Read lines ${range} with read_file (range) and copy the text exactly, or use an anchor.`
        : `Read lines ${range} with read_file (range) and copy the anchor exactly.`;
}

interface CloseLine {
    /** 1-based. */
    readonly line: number;
    readonly text: ByteText;
    readonly share: number;
}

const MAX_LINES = 3;
/** Max lines to compute the edit distance for, which is slower than comparing bigrams. */
const MAX_CANDIDATES = 20;
const MIN_SHARE = 0.6;
/** Max characters compared: a line may be a whole minified file. */
const MAX_LINE_LENGTH = 2000;

/** Finds the lines most similar to the first line of the text. */
function findClosestLines(fileLines: readonly ByteText[], wanted: ByteText): NearMiss | undefined {
    const [first = ""] = wanted.split("\n").filter((line) => line.trim().length > 2);
    const close = closestLines(fileLines, first);
    const [closest] = close;
    if (closest === undefined) return undefined;

    const yours = decoded(first).trim();
    const places = close.map(({ line, text }) => {
        const file = decoded(text.slice(0, 4000)).trimEnd();
        return differenceAt(line, yours, file, bestOffset(yours, file)) ?? { line, preview: yours };
    });
    return { reason: `the closest line is line ${closest.line}`, line: closest.line, places };
}

/**
 * Returns the lines that share the most bigrams with `wanted`, most similar first. Finds bigrams in
 * one pass over the file, which may have 10 MB.
 */
function closestLines(fileLines: readonly ByteText[], wanted: ByteText): readonly CloseLine[] {
    const line = beginningOf(wanted);
    const pairs = pairsIn(line);
    if (pairs.size < 2) return [];

    const best: CloseLine[] = [];
    fileLines.forEach((text, index) => {
        if (text.length < line.length / 2) return;
        const share = pairsIn(text, pairs).size / pairs.size;
        if (share < MIN_SHARE || share <= (best.at(MAX_CANDIDATES - 1)?.share ?? 0)) return;
        best.push({ line: index + 1, text, share });
        best.sort((one, other) => other.share - one.share).splice(MAX_CANDIDATES);
    });
    return best
        .map((close) => ({ ...close, away: distance(beginningOf(close.text), line) }))
        .sort((one, other) => one.away - other.away)
        .slice(0, MAX_LINES);
}

function beginningOf(text: ByteText): ByteText {
    return text.trim().slice(0, MAX_LINE_LENGTH);
}

/** Returns a text's lower-case bigrams; if `known` is given, only those in it. */
function pairsIn(text: ByteText, known?: ReadonlySet<number>): Set<number> {
    const pairs = new Set<number>();
    for (let at = 1; at < text.length && at < MAX_LINE_LENGTH; at++) {
        const pair = (lowerCase(text.charCodeAt(at - 1)) << 8) | lowerCase(text.charCodeAt(at));
        if (known === undefined || known.has(pair)) pairs.add(pair);
    }
    return pairs;
}

function lowerCase(code: number): number {
    return code >= 65 && code <= 90 ? code + 32 : code;
}

/** Returns the offset in `file` with the longest common prefix with `yours`. */
function bestOffset(yours: string, file: string): number {
    let best = { offset: 0, length: 0 };
    for (let offset = 0; offset < file.length && best.length < yours.length; offset++) {
        let length = 0;
        while (length < yours.length && yours[length] === file[offset + length]) length += 1;
        if (length > best.length) best = { offset, length };
    }
    // Differences are counted in characters.
    return [...file.slice(0, best.offset)].length;
}

/**
 * Consecutive lines of the wanted text that are consecutive in the file too, ignoring indentation.
 */
interface MatchedPiece {
    /** 0-based and inclusive, in the needle. */
    readonly from: number;
    readonly to: number;
    /** 1-based line in the file where the piece starts. */
    readonly line: number;
}

/** Where each wanted line occurs in the file; empty for blank lines. */
type Places = readonly (readonly number[])[];

/** Max places examined per line: a line like `}` may occur a thousand times. */
const MAX_PLACES_OF_A_LINE = 200;
const MAX_PIECES = 4;

/** Looks up each wanted line separately. */
function findNearLines(fileLines: readonly ByteText[], wanted: ByteText): NearMiss | undefined {
    const lines = wanted.split("\n");
    const trimmed = lines.map((line) => line.trim());
    const positions = placesOf(fileLines, trimmed);
    return (
        scattered(piecesOf(trimmed, fileLines, positions), fileLines) ??
        nearestPlace(lines, fileLines, positions)
    );
}

function placesOf(fileLines: readonly ByteText[], lines: readonly string[]): Places {
    const places = new Map<string, number[]>(lines.map((line) => [line, []]));
    places.delete("");
    fileLines.forEach((line, index) => {
        const known = places.get(line.trim());
        if (known && known.length < MAX_PLACES_OF_A_LINE) known.push(index);
    });
    return lines.map((line) => places.get(line) ?? []);
}

/**
 * Splits the wanted text into pieces that cover all non-blank lines; empty if it takes too many.
 */
function piecesOf(
    lines: readonly string[],
    fileLines: readonly ByteText[],
    positions: Places
): readonly MatchedPiece[] {
    const pieces: MatchedPiece[] = [];
    for (let from = 0; from < lines.length; from += 1) {
        if (lines[from] === "") continue;
        const runs = (positions[from] ?? []).map((index) => {
            let to = from;
            while (
                to + 1 < lines.length &&
                lines[to + 1] === fileLines[index + to + 1 - from]?.trim()
            ) {
                to += 1;
            }
            return { from, to, line: index + 1 };
        });
        const [longest] = runs.sort((one, other) => other.to - one.to);
        if (longest === undefined || pieces.length === MAX_PIECES) return [];
        pieces.push(longest);
        from = longest.to;
    }
    return pieces;
}

function scattered(
    pieces: readonly MatchedPiece[],
    fileLines: readonly ByteText[]
): NearMiss | undefined {
    const [first, second] = pieces;
    if (first === undefined || second === undefined) return undefined;
    const names = pieces.map(({ from, to, line }) =>
        from === to
            ? `its line ${from + 1} at ${line}`
            : `its lines ${from + 1}-${to + 1} at ${line}-${line + to - from}`
    );
    return {
        reason: `all its lines are there, but not together: ${names.join(", ")}; use one edit for each`,
        line: first.line,
        places: pieces.map(({ line }) => ({
            line,
            preview: previewAt(fileLines[line - 1] ?? "", 0),
        })),
    };
}

/** Finds the place where most lines match, and the first line that differs. */
function nearestPlace(
    lines: readonly ByteText[],
    fileLines: readonly ByteText[],
    positions: Places
): NearMiss | undefined {
    const votes = new Map<number, number>();
    for (const [index, linePlaces] of positions.entries()) {
        for (const position of linePlaces) {
            votes.set(position - index, (votes.get(position - index) ?? 0) + 1);
        }
    }
    let [start, same] = [0, 0];
    for (const [position, count] of votes) if (count > same) [start, same] = [position, count];
    const of = lines.filter((line) => line.trim() !== "").length;
    // One match among many lines is a coincidence.
    if (same === 0 || (same === 1 && of > 2)) return undefined;

    const at = lines.findIndex(
        (yours, index) => !isSameLine(yours, fileLines[start + index] ?? "")
    );
    if (at === -1) return undefined;
    const line = start + at + 1;
    const [yours, file] = [decoded(lines[at] ?? ""), decoded(fileLines[start + at] ?? "")];
    const difference = differenceAt(line, yours, file);
    return {
        reason: `${same} of its ${of} lines are at line ${Math.max(0, start) + 1} and below, the first that differs is line ${line}`,
        line,
        places: difference === undefined ? [] : [difference],
    };
}
