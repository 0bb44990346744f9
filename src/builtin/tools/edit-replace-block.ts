import * as Type from "typebox";
import { replaceBetween } from "./editing/anchor-edits.js";
import { defineEditTool, editText } from "./editing/edit-tool.js";
import { anchor, content, inclusive, occurrence, path, strict } from "./editing/input-fields.js";

const inputSchema = Type.Object(
    { path, blockStart: anchor, blockEnd: anchor, content, inclusive, occurrence },
    strict
);

type EditReplaceBlockInput = Type.Static<typeof inputSchema>;

export const editReplaceBlock = defineEditTool<EditReplaceBlockInput>({
    name: "edit_replace_block",
    description:
        "edit_by_anchor with mode replace_between: blockStart is the anchor, blockEnd anchorEnd.",
    inputSchema,
    edit: ({ path, blockStart, blockEnd, ...rest }, draft) =>
        editText(draft, path, (text) =>
            replaceBetween(text, { ...rest, anchor: blockStart, anchorEnd: blockEnd })
        ),
});
