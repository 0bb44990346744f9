import * as Type from "typebox";
import { counted } from "../../base/format.js";
import type { PlainTool } from "../../plugin/index.js";
import { MAX_BYTES, MAX_LINES } from "../../code/text/line-window.js";
import { readTextFile } from "../../code/text/text-file.js";
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
    inputSchema,
    intent: (input) => `Checking size of ${input.path}`,
    summary: (data) => counted(data.lineCount, "line"),
    // Not observed: the model learns nothing of the content it could base an edit on.
    async execute(input, { workspace }) {
        const file = await readTextFile(workspace, input.path);
        return success({
            path: file.path,
            lineCount: file.lines.length,
            sizeBytes: file.sizeBytes,
            willTruncate: file.lines.length > MAX_LINES || file.sizeBytes > MAX_BYTES,
        });
    },
};
