/** Says nothing about the server: North ended before it could answer. */
export const NORTH_ENDED = "north-ended";
/** The server no longer knows the session, and did nothing: servers forget one that was idle. */
export const SESSION_LOST = "session-lost";

/** Describes an error on one line, without control characters. */
export function reasonOf(error: unknown): string {
    const text = error instanceof Error ? error.message : String(error);
    return oneLine(text, 300);
}

/** Makes foreign text safe to show on one line. */
export function oneLine(text: string, limit: number): string {
    const line = text
        .replace(/\s+/g, (blank) => (blank.includes("\n") ? " " : blank))
        .replace(HIDDEN, codeOf)
        .trim();
    return line.length <= limit ? line : `${line.slice(0, limit - 1)}…`;
}

/** Control and format characters, invisible ones, and blanks other than a space. */
const HIDDEN = /(?! )[\p{Cc}\p{Cf}\p{Z}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** Escapes a character, so that different names never look alike. */
function codeOf(character: string): string {
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

export function counted(number: number, noun: string): string {
    return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** Says which of a server's tools and prompts North does not use, and why. */
export function skippedText(names: readonly string[]): string {
    return `skipped ${oneLine(names.join(", "), 200)}: nested too deeply`;
}
