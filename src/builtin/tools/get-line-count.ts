import * as Type from "typebox";
import { counted } from "../../base/format.js";
import type { Workspace } from "../../plugin/index.js";
import { MAX_BYTES, MAX_LINES } from "../../code/text/line-window.js";
import { readTextFile, readTextLines } from "../../code/text/text-file.js";
import { readOnlyTool } from "./read-only-tool.js";
import { success } from "./results.js";
import { readOf } from "./equivalents.js";

export const getLineCount = readOnlyTool({
    name: "get_line_count",
    description: "Count a text file's lines and bytes, to plan reading it.",
    kind: "read",
    input: { path: Type.String() },
    equivalents: readOf,
    intent: (input) => `Checking size of ${input.path}`,
    // Not observed: reveals no content that the model could base an edit on.
    async execute({ path }, { workspace, signal }) {
        const file = await countsOf(workspace, path, signal);
        const { lineCount, sizeBytes } = file;
        /** For `read_file` without a range. */
        const willTruncate = lineCount > MAX_LINES || sizeBytes > MAX_BYTES;
        return success({ path: file.path, lineCount, sizeBytes, willTruncate });
    },
    summary: (data) => counted(data.lineCount, "line"),
});

async function countsOf(workspace: Workspace, path: string, signal: AbortSignal) {
    const file = await readTextLines(workspace, path, { start: 1, end: 0 }, signal);
    if (file !== undefined) return { ...file, lineCount: file.totalLines };
    const whole = await readTextFile(workspace, path);
    return { ...whole, lineCount: whole.lines.length };
}
