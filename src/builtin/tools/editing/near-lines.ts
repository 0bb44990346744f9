import { decoded, type ByteText } from "./byte-text.js";
import { firstDifference, type Difference } from "./visible.js";

/** Consecutive lines of the wanted text that stand together in the file, but for their indentation. */
export interface Piece {
    /** 0-based and inclusive, in the wanted text. */
    readonly from: number;
    readonly to: number;
    /** 1-based line of the file in which the first one is. */
    readonly line: number;
}

/** The place at which most lines are as wanted, and the first that is not. */
export interface NearestLines {
    readonly startLine: number;
    readonly same: number;
    readonly of: number;
    readonly line: number;
    readonly difference: Difference | undefined;
}

/** Where the wanted lines are in the file. */
export interface LineMatches {
    /** Together they are all lines of the text that are not blank. */
    readonly pieces: readonly Piece[] | undefined;
    readonly nearest: NearestLines | undefined;
}

/** A line like `}` is at a thousand places; so many are looked at. */
const MAX_PLACES_OF_A_LINE = 200;
const MAX_PIECES = 4;

/** Looks for each line of a text on its own. */
export function matchLines(fileLines: readonly ByteText[], wanted: ByteText): LineMatches {
    const lines = wanted.split("\n");
    const trimmed = lines.map((line) => line.trim());
    const places = placesOf(fileLines, trimmed);
    return {
        pieces: findPieces(trimmed, fileLines, places),
        nearest: findNearest(lines, fileLines, places),
    };
}

/** Where each line of the text is in the file, by its index; nowhere where it is blank. */
type Places = readonly (readonly number[])[];

function placesOf(fileLines: readonly ByteText[], lines: readonly string[]): Places {
    const places = new Map<string, number[]>(lines.map((line) => [line, []]));
    places.delete("");
    fileLines.forEach((line, index) => {
        const known = places.get(line.trim());
        if (known && known.length < MAX_PLACES_OF_A_LINE) known.push(index);
    });
    return lines.map((line) => places.get(line) ?? []);
}

function findPieces(
    lines: readonly string[],
    fileLines: readonly ByteText[],
    places: Places
): readonly Piece[] | undefined {
    const pieces: Piece[] = [];
    for (let from = 0; from < lines.length; from += 1) {
        if (lines[from] === "") continue;
        const runs = (places[from] ?? []).map((place) => {
            let length = 1;
            while (
                from + length < lines.length &&
                lines[from + length] === fileLines[place + length]?.trim()
            ) {
                length += 1;
            }
            return { from, to: from + length - 1, line: place + 1 };
        });
        const [longest] = runs.sort((one, other) => other.to - one.to);
        if (longest === undefined || pieces.length === MAX_PIECES) return undefined;
        pieces.push(longest);
        from = longest.to;
    }
    return pieces;
}

function findNearest(
    lines: readonly ByteText[],
    fileLines: readonly ByteText[],
    places: Places
): NearestLines | undefined {
    const votes = new Map<number, number>();
    for (const [index, linePlaces] of places.entries()) {
        for (const place of linePlaces) {
            votes.set(place - index, (votes.get(place - index) ?? 0) + 1);
        }
    }
    let [start, same] = [0, 0];
    for (const [place, count] of votes) if (count > same) [start, same] = [place, count];
    const of = lines.filter((line) => line.trim() !== "").length;
    // One of many lines in common is chance.
    if (same === 0 || (same === 1 && of > 2)) return undefined;

    const at = lines.findIndex((line, index) => {
        const file = fileLines[start + index] ?? "";
        return line !== file && `${line}\r` !== file;
    });
    if (at === -1) return undefined;
    const difference = firstDifference(
        decoded(lines[at] ?? ""),
        decoded(fileLines[start + at] ?? "")
    );
    return { startLine: Math.max(0, start) + 1, same, of, line: start + at + 1, difference };
}
