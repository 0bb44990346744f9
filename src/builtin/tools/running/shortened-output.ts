const FIRST_LINES = 20;
const LAST_LINES = 10;
/** Thirty lines of a minified file would be as long as the file. */
const LINE_LENGTH = 1000;

/** An output for the model; a note says what was left out. */
export interface ShortenedOutput {
    readonly text: string;
    readonly note?: string;
}

/** The first 20 and the last 10 lines of an output; the text itself where that is no shorter. */
export function shortened(name: string, text: string): ShortenedOutput {
    const end = text.endsWith("\n") ? "\n" : "";
    const lines = text.slice(0, text.length - end.length).split("\n");
    const isLong = lines.length > FIRST_LINES + LAST_LINES;
    const leftOut = `${FIRST_LINES + 1}-${lines.length - LAST_LINES}`;
    const kept = isLong
        ? [
              ...lines.slice(0, FIRST_LINES).map(cut),
              `[... lines ${leftOut} left out ...]`,
              ...lines.slice(-LAST_LINES).map(cut),
          ]
        : lines.map(cut);
    const result = kept.join("\n") + end;
    if (result.length >= text.length) return { text };
    const note = isLong
        ? `${name}: lines ${leftOut} of ${lines.length} left out.`
        : `${name}: lines cut to ${LINE_LENGTH} characters.`;
    return { text: result, note };
}

function cut(line: string): string {
    if (line.length <= LINE_LENGTH) return line;
    return `${line.slice(0, LINE_LENGTH)}[... ${line.length - LINE_LENGTH} characters]`;
}
