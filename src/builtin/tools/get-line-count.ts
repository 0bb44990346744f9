import * as Type from "typebox";
import { counted } from "../../base/format.js";
import type { PlainTool, Workspace } from "../../plugin/index.js";
import { MAX_BYTES, MAX_LINES } from "../../code/text/line-window.js";
import { readTextFile, readTextLines } from "../../code/text/text-file.js";
import { success } from "./results.js";

const inputSchema = Type.Object({ path: Type.String() }, { additionalProperties: false });

export type GetLineCountInput = Type.Static<typeof inputSchema>;

/** How long a file is. */
export interface GetLineCountData {
    readonly path: string;
    readonly lineCount: number;
    readonly sizeBytes: number;
    /** `read_file` without a range would not return all of it. */
    readonly willTruncate: boolean;
}

export const getLineCount: PlainTool<GetLineCountInput, GetLineCountData> = {
    name: "get_line_count",
    description: "Count a text file's lines and bytes, to plan reading it.",
    approval: "none",
    readOnly: true,
    kind: "read",
    inputSchema,
    intent: (input) => `Checking size of ${input.path}`,
    summary: (data) => counted(data.lineCount, "line"),
    // Not observed: the model learns nothing of the content it could base an edit on.
    async execute({ path }, { workspace, signal }) {
        const file = await countsOf(workspace, path, signal);
        const { lineCount, sizeBytes } = file;
        const willTruncate = lineCount > MAX_LINES || sizeBytes > MAX_BYTES;
        return success({ path: file.path, lineCount, sizeBytes, willTruncate });
    },
};

async function countsOf(workspace: Workspace, path: string, signal: AbortSignal) {
    const file = await readTextLines(workspace, path, { start: 1, end: 0 }, signal);
    if (file !== undefined) return { ...file, lineCount: file.totalLines };
    const whole = await readTextFile(workspace, path);
    return { ...whole, lineCount: whole.lines.length };
}
