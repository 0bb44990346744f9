import * as Type from "typebox";
import type { ToolFailure } from "../../plugin/index.js";
import { encoded } from "./editing/byte-text.js";
import { defineEditTool, editText } from "./editing/edit-tool.js";
import { countMatches, exactMatches } from "./editing/exact-matches.js";
import { path, strict } from "./editing/input-fields.js";
import { missFailure } from "./editing/miss-failure.js";
import { MAX_PLACES, placeAt } from "./editing/places.js";
import { replaceMatches } from "./editing/replace-exact.js";
import { edited, type EditableText } from "./editing/text-edit.js";
import { failure } from "./results.js";

const inputSchema = Type.Object(
    {
        path,
        old: Type.String({ minLength: 1 }),
        new: Type.String(),
        expectedOccurrences: Type.Optional(
            Type.Integer({ minimum: 1, description: "Replace all; there must be exactly so many" })
        ),
    },
    strict
);

export type EditReplaceExactInput = Type.Static<typeof inputSchema>;

export const editReplaceExact = defineEditTool<EditReplaceExactInput>({
    name: "edit_replace_exact",
    description: "Replace exact text, white space included. `old` must occur exactly once.",
    inputSchema,
    edit: (input, draft) =>
        editText(draft, input.path, (text) => {
            const refused = refuse(text, input);
            return (
                refused ?? edited(replaceMatches(text.body, encoded(input.old), encoded(input.new)))
            );
        }),
});

/** Why the text cannot be replaced, unless it occurs as often as it should. */
function refuse(text: EditableText, input: EditReplaceExactInput): ToolFailure | undefined {
    if (input.old === "") {
        return failure("invalid-input", "`old` must not be empty.", "Give the text to replace.");
    }

    const expected = input.expectedOccurrences ?? 1;
    // Where one is meant, matches that overlap are two places to choose from.
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
              `The text occurs ${count} times in ${text.path}, not ${expected} times.`,
              "Nothing was replaced. Check the places, then give the right number.",
              places
          );
}
