/** The code of a failure that says nothing about the server: it was not given the time. */
export const NORTH_ENDED = "north-ended";

/** What went wrong, on one line and without what would move a terminal's cursor. */
export function reasonOf(error: unknown, limit = 300): string {
    const text = error instanceof Error ? error.message : String(error);
    return oneLine(text, limit);
}

/** Text of somebody else for a line of the screen. */
export function oneLine(text: string, limit: number): string {
    const line = text.replace(/[\p{Cc}\p{Cf}\p{Z}]+/gu, " ").trim();
    return line.length <= limit ? line : `${line.slice(0, limit - 1)}…`;
}
