import { decoded, type ByteText } from "./byte-text.js";

/** Consecutive lines of the wanted text that stand together in the file, but for their indentation. */
export interface Piece {
    /** 0-based and inclusive, in the wanted text. */
    readonly from: number;
    readonly to: number;
    /** 1-based line of the file in which the first one is. */
    readonly line: number;
}

/** Where the wanted lines are in the file. */
export interface LineMatches {
    /** Together they are all lines of the text that are not blank. */
    readonly pieces: readonly Piece[] | undefined;
    /** The place at which most lines are as wanted, and the first that is not. */
    readonly best:
        | {
              readonly startLine: number;
              readonly same: number;
              readonly of: number;
              readonly differing?: {
                  readonly line: number;
                  readonly yours: string;
                  readonly file: string;
              };
          }
        | undefined;
}

/** A line like `}` is at a thousand places; so many are looked at. */
const MAX_PLACES_OF_A_LINE = 200;
const MAX_PIECES = 4;

/** Looks for each line of a text on its own. */
export function matchLines(fileLines: readonly ByteText[], wanted: ByteText): LineMatches {
    const lines = wanted.split("\n").map((line) => line.trim());
    const places = placesOf(fileLines, new Set(lines.filter((line) => line !== "")));
    return {
        pieces: findPieces(lines, fileLines, places),
        best: findBest(wanted.split("\n"), fileLines, places),
    };
}

type Places = ReadonlyMap<string, readonly number[]>;

function placesOf(fileLines: readonly ByteText[], lines: ReadonlySet<string>): Places {
    const places = new Map<string, number[]>();
    fileLines.forEach((line, index) => {
        const text = line.trim();
        if (lines.has(text)) {
            const known = places.get(text) ?? [];
            places.set(text, known);
            if (known.length < MAX_PLACES_OF_A_LINE) known.push(index);
        }
    });
    return places;
}

function findPieces(
    lines: readonly string[],
    fileLines: readonly ByteText[],
    places: Places
): readonly Piece[] | undefined {
    const pieces: Piece[] = [];
    for (let from = 0; from < lines.length;) {
        if (lines[from] === "") {
            from += 1;
            continue;
        }
        const candidates = (places.get(lines[from] ?? "") ?? []).map((line) => ({
            line,
            length: runLength(lines, from, fileLines, line),
        }));
        const longest = candidates.reduce(
            (best, next) => (next.length > best.length ? next : best),
            {
                line: 0,
                length: 0,
            }
        );
        if (longest.length === 0 || pieces.length === MAX_PIECES) return undefined;

        pieces.push({ from, to: from + longest.length - 1, line: longest.line + 1 });
        from += longest.length;
    }
    return pieces;
}

function runLength(
    lines: readonly string[],
    from: number,
    fileLines: readonly ByteText[],
    line: number
): number {
    let length = 0;
    while (
        from + length < lines.length &&
        lines[from + length] === fileLines[line + length]?.trim()
    ) {
        length += 1;
    }

    return length;
}

function findBest(
    yourLines: readonly ByteText[],
    fileLines: readonly ByteText[],
    places: Places
): LineMatches["best"] {
    const votes = new Map<number, number>();
    yourLines.forEach((line, index) => {
        for (const place of places.get(line.trim()) ?? []) {
            votes.set(place - index, (votes.get(place - index) ?? 0) + 1);
        }
    });
    const [start, same] = [...votes].reduce(
        (best, next) => (next[1] > best[1] ? next : best),
        [0, 0]
    );
    const of = yourLines.filter((line) => line.trim() !== "").length;
    // One of many lines in common is chance.
    if (same === 0 || (same === 1 && of > 2)) return undefined;

    const differing = yourLines.findIndex((line, index) => {
        const file = fileLines[start + index] ?? "";
        return line !== file && `${line}\r` !== file;
    });
    return {
        startLine: Math.max(0, start) + 1,
        same,
        of,
        ...(differing === -1
            ? {}
            : {
                  differing: {
                      line: start + differing + 1,
                      yours: decoded(yourLines[differing] ?? ""),
                      file: decoded(fileLines[start + differing] ?? ""),
                  },
              }),
    };
}
