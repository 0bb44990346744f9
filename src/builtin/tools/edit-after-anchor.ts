import * as Type from "typebox";
import { insertAfter } from "./editing/anchor-edits.js";
import { defineEditTool, editText } from "./editing/edit-tool.js";
import { anchor, content, occurrence, path, strict } from "./editing/input-fields.js";

const inputSchema = Type.Object({ path, anchor, content, occurrence }, strict);

type EditAfterAnchorInput = Type.Static<typeof inputSchema>;

export const editAfterAnchor = defineEditTool<EditAfterAnchorInput>({
    name: "edit_after_anchor",
    description: "edit_by_anchor with mode insert_after.",
    inputSchema,
    edit: (input, draft) => editText(draft, input.path, (text) => insertAfter(text, input)),
});
