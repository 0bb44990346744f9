import * as Type from "typebox";
import { counted } from "../../base/format.js";
import { encoded } from "./editing/byte-text.js";
import { content, defineEditTool, edited, editText, path } from "./editing/edit-tool.js";
import { changedSinceRead } from "./editing/find-anchor.js";
import { countLines } from "../../code/chunks.js";
import { spliceLines, startOfLine } from "./editing/lines.js";
import { failure } from "./results.js";

export const editInsertAtLine = defineEditTool({
    name: "edit_insert_at_line",
    description:
        "Insert lines before a line. Only right after reading the file; else use an anchor.",
    input: { path, line: Type.Integer({ minimum: 1, description: "Last + 1 appends" }), content },
    edit: ({ path, line, content }, draft) =>
        editText(draft, path, (text) => {
            if (text.isChangedSinceRead) {
                return changedSinceRead(text, "its line numbers may have changed");
            }
            const last = countLines(text.body);
            if (line > last + 1) {
                return failure(
                    "no-such-line",
                    `There is no line ${line} to insert before: ${text.path} has ${counted(last, "line")}.`,
                    `Give a line from 1 to ${last + 1}; ${last + 1} appends.`
                );
            }
            const at = startOfLine(text.body, line);
            return edited(spliceLines(text.body, { start: at, end: at }, encoded(content), at));
        }),
});
