/** The code of a failure that says nothing about the server: it was not given the time. */
export const NORTH_ENDED = "north-ended";

/** What went wrong, on one line and without what would move a terminal's cursor. */
export function reasonOf(error: unknown, limit = 300): string {
    const text = error instanceof Error ? error.message : String(error);
    return oneLine(text, limit);
}

/** Text of somebody else for a line of the screen. */
export function oneLine(text: string, limit: number): string {
    const line = text
        .replace(/\s+/g, (blank) => (blank.includes("\n") ? " " : blank))
        .replace(HIDDEN, codeOf)
        .trim();
    return line.length <= limit ? line : `${line.slice(0, limit - 1)}…`;
}

/** Controls, formats, what fonts draw as nothing, and blanks that are no space. */
const HIDDEN = /(?! )[\p{Cc}\p{Cf}\p{Z}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** Written out: two names that differ must not look alike. */
function codeOf(character: string): string {
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
