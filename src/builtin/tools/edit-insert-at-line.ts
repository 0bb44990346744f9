import * as Type from "typebox";
import type { ToolFailure } from "../../plugin/index.js";
import { encoded } from "./editing/byte-text.js";
import { defineEditTool, editText } from "./editing/edit-tool.js";
import { changedSinceRead } from "./editing/find-anchor.js";
import { content, path, strict } from "./editing/input-fields.js";
import { countLines, startOfLine } from "./editing/lines.js";
import { spliceLines } from "./editing/splice-lines.js";
import { edited, type EditableText } from "./editing/text-edit.js";
import { failure } from "./results.js";

const inputSchema = Type.Object(
    { path, line: Type.Integer({ minimum: 1, description: "Last + 1 appends" }), content },
    strict
);

type EditInsertAtLineInput = Type.Static<typeof inputSchema>;

export const editInsertAtLine = defineEditTool<EditInsertAtLineInput>({
    name: "edit_insert_at_line",
    description:
        "Insert lines before a line. Only right after reading the file; else use an anchor.",
    inputSchema,
    edit: (input, draft) =>
        editText(draft, input.path, (text) => {
            if (text.isChangedSinceRead) {
                return changedSinceRead(text, "its line numbers may have changed");
            }

            const last = countLines(text.body);
            if (input.line < 1 || input.line > last + 1) return noSuchLine(text, input.line, last);

            const at = startOfLine(text.body, input.line);
            return edited(
                spliceLines(text.body, { start: at, end: at }, encoded(input.content), at)
            );
        }),
});

function noSuchLine(text: EditableText, line: number, last: number): ToolFailure {
    return failure(
        "no-such-line",
        `There is no line ${line} to insert before: ${text.path} has ${last} lines.`,
        `Give a line from 1 to ${last + 1}; ${last + 1} appends.`
    );
}
