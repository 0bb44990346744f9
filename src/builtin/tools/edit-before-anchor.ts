import * as Type from "typebox";
import { insertBefore } from "./editing/anchor-edits.js";
import { defineEditTool, editText } from "./editing/edit-tool.js";
import { anchor, content, occurrence, path, strict } from "./editing/input-fields.js";

const inputSchema = Type.Object({ path, anchor, content, occurrence }, strict);

type EditBeforeAnchorInput = Type.Static<typeof inputSchema>;

export const editBeforeAnchor = defineEditTool<EditBeforeAnchorInput>({
    name: "edit_before_anchor",
    description: "edit_by_anchor with mode insert_before.",
    inputSchema,
    edit: (input, draft) => editText(draft, input.path, (text) => insertBefore(text, input)),
});
