import type { JsonObject } from "../../../plugin/index.js";

/** What is near to a text that is not in the file, and why it is not the same. */
export interface NearMiss {
    readonly reason: string;
    /** 1-based, around which to read again. */
    readonly line: number;
    readonly places: readonly JsonObject[];
}

const BEFORE = 20;
const AFTER = 40;

/**
 * Where two lines part, in characters of the second, and both from a little before that place;
 * `undefined` when they are the same. `offset` is where the first begins in the second.
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

/** White space is made visible: what differs there is otherwise not seen. */
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

/** A line break of the file may be CRLF where LF is meant. */
export function isSameLine(yours: string, file: string | undefined): boolean {
    return yours === file || `${yours}\r` === file;
}
