import { counted } from "../../base/format.js";
import * as Type from "typebox";
import type { ToolFailure } from "../../plugin/index.js";
import { type ByteText, encoded } from "./editing/byte-text.js";
import { defineEditTool, type EditableText, edited, editText, path } from "./editing/edit-tool.js";
import { countMatches, exactMatches } from "./editing/exact-matches.js";
import { cutIntoLines, endingAt, type Span, withEnding } from "./editing/lines.js";
import { missFailure } from "./editing/miss-failure.js";
import { MAX_PLACES, placeAt } from "./editing/places.js";
import type { InputOf } from "./read-only-tool.js";
import { failure } from "./results.js";

const fields = {
    path,
    old: Type.String({ minLength: 1 }),
    new: Type.String(),
    expectedOccurrences: Type.Optional(
        Type.Integer({ minimum: 1, description: "Replace all; must match exactly this many" })
    ),
};

export const editReplaceExact = defineEditTool({
    name: "edit_replace_exact",
    isEssential: true,
    description: "Replace exact text, whitespace included. `old` must occur exactly once.",
    input: fields,
    equivalents: ({ path, old, new: replacement, expectedOccurrences = 1 }) => [
        {
            tool: "Edit",
            input: {
                ...{ file_path: path, old_string: old, new_string: replacement },
                replace_all: expectedOccurrences > 1,
            },
        },
    ],
    edit: (input, draft) =>
        editText(
            draft,
            input.path,
            (text) =>
                refusal(text, input) ??
                edited(replaceMatches(text.body, encoded(input.old), encoded(input.new)))
        ),
});

/** Returns why the text cannot be replaced, or `undefined` if it occurs as often as expected. */
function refusal(text: EditableText, input: InputOf<typeof fields>): ToolFailure | undefined {
    const expected = input.expectedOccurrences ?? 1;
    // If one match is expected, overlapping matches are ambiguous too.
    const matches = exactMatches(text.body, encoded(input.old), { overlapping: expected === 1 });
    const { count, first } = countMatches(matches, MAX_PLACES);
    if (count === expected) return undefined;

    if (count === 0) return missFailure(text, input.old, "text");

    const places = first.map(({ start }, index) => placeAt(text.body, start, index + 1));
    return input.expectedOccurrences === undefined
        ? failure(
              "ambiguous-text",
              `The text occurs ${count} times in ${text.path}.`,
              "Add lines around it to `old`, or give `expectedOccurrences` to replace all.",
              places
          )
        : failure(
              "wrong-count",
              `The text occurs ${counted(count, "time")} in ${text.path}, not ${counted(expected, "time")}.`,
              "Nothing was replaced. Check the matches, then give the right number.",
              places
          );
}

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
 * Leading and trailing lines shared by `old` and the replacement are only context: they stay as
 * they are in the file, even if it mixes line endings. Lines between them get the ending of the
 * place where they start.
 */
function replacer(text: ByteText, old: ByteText, replacement: ByteText): (match: Span) => ByteText {
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
