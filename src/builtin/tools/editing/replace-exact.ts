import type { ByteText } from "./byte-text.js";
import { exactMatches, type Match } from "./exact-matches.js";
import { cutIntoLines, endingAt, withEnding } from "./lines.js";

/** Replaces every match, from left to right. */
export function replaceMatches(text: ByteText, old: ByteText, replacement: ByteText): ByteText {
    const pieces: ByteText[] = [];
    let done = 0;
    const replace = replacer(text, old, replacement);
    for (const match of exactMatches(text, old)) {
        pieces.push(text.slice(done, match.start), replace(match));
        done = match.end;
    }
    pieces.push(text.slice(done));
    return pieces.join("");
}

/**
 * Lines at the start and the end that are the same in `old` and in the replacement are only there to
 * find the place: they stay as they are in the file, also where it mixes line endings. The lines
 * between take the ending of the place at which they begin.
 */
function replacer(
    text: ByteText,
    old: ByteText,
    replacement: ByteText
): (match: Match) => ByteText {
    const oldLines = cutIntoLines(old);
    const newLines = cutIntoLines(replacement);
    const shorter = Math.min(oldLines.length, newLines.length);
    let same = 0;
    while (same < shorter && oldLines[same] === newLines[same]) same += 1;

    let sameAtEnd = 0;
    while (
        sameAtEnd < shorter - same &&
        oldLines.at(-1 - sameAtEnd) === newLines.at(-1 - sameAtEnd)
    ) {
        sameAtEnd += 1;
    }

    const changed = newLines.slice(same, newLines.length - sameAtEnd).join("");
    return ({ start, end }) => {
        const found = cutIntoLines(text.slice(start, end));
        const head = found.slice(0, same).join("");
        const tail = found.slice(found.length - sameAtEnd).join("");
        return head + withEnding(changed, endingAt(text, start + head.length)) + tail;
    };
}
