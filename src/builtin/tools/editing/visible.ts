/** White space made visible: what differs there is otherwise not seen. */
export function visible(text: string): string {
    return text
        .replaceAll(" ", "·")
        .replaceAll("\t", "→")
        .replaceAll("\r", "␍")
        .replaceAll("\n", "␊");
}

const BEFORE = 20;
const AFTER = 40;

/** Where two lines part, and both from a little before that place. */
export interface Difference {
    /** 1-based, in characters of the second. */
    readonly column: number;
    readonly yours: string;
    readonly file: string;
}

/** `undefined` when they are the same. `offset` is where the first begins in the second. */
export function firstDifference(yours: string, file: string, offset = 0): Difference | undefined {
    const [mine, theirs] = [[...yours], [...file]];
    let at = 0;
    while (at < mine.length && mine[at] === theirs[at + offset]) at += 1;

    if (at === mine.length && (offset > 0 || mine.length === theirs.length)) return undefined;

    return {
        column: at + offset + 1,
        yours: excerpt(mine, at),
        file: excerpt(theirs, at + offset),
    };
}

function excerpt(characters: readonly string[], at: number): string {
    const start = Math.max(0, at - BEFORE);
    const end = Math.min(characters.length, at + AFTER);
    const shown = visible(characters.slice(start, end).join(""));
    return `${start > 0 ? "…" : ""}${shown}${end < characters.length ? "…" : ""}`;
}
