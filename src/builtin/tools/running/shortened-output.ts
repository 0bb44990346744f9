import type { JsonObject } from "../../../plugin/index.js";
import { fieldOf } from "../reading/output-lines.js";

/** Shorter output is sent whole: a second call would cost more. */
const WHOLE_LINES = 200;
const WHOLE_LENGTH = 8 * 1024;
const FIRST_LINES = 60;
/** More than from the start: errors are at the end. */
const LAST_LINES = 120;
/** Max line length: a line of a minified file may be as long as the file. */
const LINE_LENGTH = 1000;

/**
 * Returns the first and last lines of a field of a result if it is long, with a note about the
 * omission that numbers lines as `expand_output` does; the text itself if that is no shorter.
 */
export function shortened(
    result: JsonObject,
    name: string
): { readonly text: string; readonly note?: string } {
    const text = String(result[name]);
    const { lines, first } = fieldOf(result, name, text);
    if (lines.length <= WHOLE_LINES && text.length <= WHOLE_LENGTH) return { text };
    const isLong = lines.length > FIRST_LINES + LAST_LINES;
    const leftOut = `${first + FIRST_LINES}-${first + lines.length - LAST_LINES - 1}`;
    const kept = isLong
        ? [
              ...lines.slice(0, FIRST_LINES).map(cut),
              `[... lines ${leftOut} left out ...]`,
              ...lines.slice(-LAST_LINES).map(cut),
          ]
        : lines.map(cut);
    const shorter = kept.join("\n") + (text.endsWith("\n") ? "\n" : "");
    if (shorter.length >= text.length) return { text };
    const note = isLong
        ? `${name}: lines ${leftOut} left out.`
        : `${name}: lines cut to ${LINE_LENGTH} characters.`;
    return { text: shorter, note };
}

function cut(line: string): string {
    if (line.length <= LINE_LENGTH) return line;
    return `${line.slice(0, LINE_LENGTH)}[... ${line.length - LINE_LENGTH} characters]`;
}
