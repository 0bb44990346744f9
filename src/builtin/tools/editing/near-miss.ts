import type { JsonObject } from "../../../plugin/index.js";

/** Text similar to one that is not in the file, and how it differs. */
export interface NearMiss {
    readonly reason: string;
    /** 1-based; the line to read around. */
    readonly line: number;
    readonly places: readonly JsonObject[];
}

const BEFORE = 20;
const AFTER = 40;

/**
 * Describes where two lines diverge, in characters of the file's line, with an excerpt of both;
 * `undefined` if they are equal. `offset` is where `yours` starts in `file`.
 */
export function differenceAt(
    line: number,
    yours: string,
    file: string,
    offset = 0
): JsonObject | undefined {
    const [mine, theirs] = [[...yours], [...file]];
    let at = 0;
    while (at < mine.length && mine[at] === theirs[at + offset]) at += 1;

    if (at === mine.length && (offset > 0 || mine.length === theirs.length)) return undefined;
    return {
        line,
        column: at + offset + 1,
        yours: excerpt(mine, at),
        file: excerpt(theirs, at + offset),
    };
}

/** Makes white space visible, so that differences in it can be seen. */
function excerpt(characters: readonly string[], at: number): string {
    const start = Math.max(0, at - BEFORE);
    const end = Math.min(characters.length, at + AFTER);
    const shown = characters
        .slice(start, end)
        .join("")
        .replaceAll(" ", "·")
        .replaceAll("\t", "→")
        .replaceAll("\r", "␍")
        .replaceAll("\n", "␊");
    return `${start > 0 ? "…" : ""}${shown}${end < characters.length ? "…" : ""}`;
}

/** A line break in the file may be CRLF where LF is meant. */
export function isSameLine(yours: string, file: string | undefined): boolean {
    return yours === file || `${yours}\r` === file;
}
