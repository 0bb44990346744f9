import { decoded, type ByteText } from "./byte-text.js";
import { differenceAt, isSameLine, type NearMiss } from "./near-miss.js";
import { previewAt } from "./places.js";

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
export function findNearLines(
    fileLines: readonly ByteText[],
    wanted: ByteText
): NearMiss | undefined {
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
