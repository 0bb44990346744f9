import * as Type from "typebox";
import type { ToolFailure } from "../../plugin/index.js";
import { editAt, type LineMode, replaceBetween } from "./editing/anchor-edits.js";
import { content, defineEditTool, editText, path } from "./editing/edit-tool.js";
import { failure } from "./results.js";

export const editByAnchor = defineEditTool({
    name: "edit_by_anchor",
    description:
        "Insert or replace lines at an anchor; replace_between ends at the first anchorEnd after it. Empty content deletes what is replaced.",
    input: {
        path,
        mode: Type.Enum(["insert_before", "insert_after", "replace_line", "replace_between"], {
            type: "string",
        }),
        anchor: Type.String({ minLength: 1, description: "Exact text within one line" }),
        anchorEnd: Type.Optional(Type.String({ minLength: 1, description: "For replace_between" })),
        content,
        occurrence: Type.Optional(
            Type.Integer({ minimum: 1, description: "Which match; needed if several lines match" })
        ),
        inclusive: Type.Optional(
            Type.Boolean({ default: false, description: "Replace the anchor lines too" })
        ),
    },
    edit: (input, draft) =>
        editText(draft, input.path, (text) => {
            const { mode, anchorEnd } = input;
            if (mode !== "replace_between") {
                return misplacedField(mode, input) ?? editAt(text, mode, input);
            }
            return anchorEnd === undefined
                ? failure("invalid-input", "anchorEnd: expected with mode replace_between.")
                : replaceBetween(text, { ...input, anchorEnd });
        }),
});

function misplacedField(
    mode: LineMode,
    { anchorEnd, inclusive }: { readonly anchorEnd?: string; readonly inclusive?: boolean }
): ToolFailure | undefined {
    if (anchorEnd === undefined && inclusive !== true) return undefined;
    const field = anchorEnd === undefined ? "inclusive" : "anchorEnd";
    return failure(
        "invalid-input",
        `${field}: does not apply to mode ${mode}.`,
        "Omit it, or use mode replace_between."
    );
}

// The same edits under their own names, which some models prefer. The fields are described above.
const anchor = Type.String({ minLength: 1 });
const occurrence = Type.Optional(Type.Integer({ minimum: 1 }));
const inclusive = Type.Optional(Type.Boolean({ default: false }));

export const editAfterAnchor = defineEditTool({
    name: "edit_after_anchor",
    description: "edit_by_anchor with mode insert_after.",
    input: { path, anchor, content, occurrence },
    edit: (input, draft) =>
        editText(draft, input.path, (text) => editAt(text, "insert_after", input)),
});

export const editBeforeAnchor = defineEditTool({
    name: "edit_before_anchor",
    description: "edit_by_anchor with mode insert_before.",
    input: { path, anchor, content, occurrence },
    edit: (input, draft) =>
        editText(draft, input.path, (text) => editAt(text, "insert_before", input)),
});

export const editReplaceBlock = defineEditTool({
    name: "edit_replace_block",
    description:
        "edit_by_anchor with mode replace_between: blockStart is the anchor, blockEnd anchorEnd.",
    input: { path, blockStart: anchor, blockEnd: anchor, content, inclusive, occurrence },
    edit: ({ path, blockStart, blockEnd, ...rest }, draft) =>
        editText(draft, path, (text) =>
            replaceBetween(text, { ...rest, anchor: blockStart, anchorEnd: blockEnd })
        ),
});
