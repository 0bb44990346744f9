import * as Type from "typebox";
import { insertAfter, insertBefore, replaceBetween, replaceLine } from "./editing/anchor-edits.js";
import { defineEditTool, editText } from "./editing/edit-tool.js";
import { content, path, strict } from "./editing/input-fields.js";
import type { EditableText, TextEdit } from "./editing/text-edit.js";
import { failure } from "./results.js";

const inputSchema = Type.Object(
    {
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
    strict
);

export type EditByAnchorInput = Type.Static<typeof inputSchema>;

export const editByAnchor = defineEditTool<EditByAnchorInput>({
    name: "edit_by_anchor",
    description:
        "Insert or replace lines at an anchor; replace_between ends at the first anchorEnd after it. Empty content deletes what is replaced.",
    inputSchema,
    edit: (input, draft) => editText(draft, input.path, (text) => editAt(text, input)),
});

function editAt(text: EditableText, input: EditByAnchorInput): TextEdit {
    const { mode, anchorEnd } = input;
    if (mode === "replace_between") {
        return anchorEnd === undefined
            ? failure("invalid-input", "anchorEnd: expected with mode replace_between.")
            : replaceBetween(text, { ...input, anchorEnd });
    }
    if (anchorEnd !== undefined || input.inclusive === true) {
        const field = anchorEnd === undefined ? "inclusive" : "anchorEnd";
        return failure(
            "invalid-input",
            `${field}: does not apply to mode ${mode}.`,
            "Omit it, or use mode replace_between."
        );
    }
    switch (mode) {
        case "insert_before":
            return insertBefore(text, input);
        case "insert_after":
            return insertAfter(text, input);
        case "replace_line":
            return replaceLine(text, input);
    }
}
