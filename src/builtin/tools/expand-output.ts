import * as Type from "typebox";
import { counted } from "../../base/format.js";
import type { PlainTool } from "../../plugin/index.js";
import { fitRange, lineRangeSchema } from "../../code/text/line-range.js";
import { cutWindow, linePieces, type LineWindow } from "../../code/text/line-window.js";
import { outputLines } from "./reading/output-lines.js";
import { rangeSuffix } from "./reading/wording.js";
import { failure, success } from "./results.js";

const inputSchema = Type.Object(
    { outputId: Type.String({ minLength: 1 }), range: Type.Optional(lineRangeSchema) },
    { additionalProperties: false }
);

export type ExpandOutputInput = Type.Static<typeof inputSchema>;

/** An output that was shortened, or some lines of it. */
export interface ExpandOutputData extends LineWindow {
    readonly outputId: string;
    readonly toolName: string;
    readonly totalLines: number;
}

export const expandOutput: PlainTool<ExpandOutputInput, ExpandOutputData> = {
    name: "expand_output",
    description: "Get a digested result of this turn in full, or some of its lines.",
    approval: "none",
    readOnly: true,
    kind: "read",
    inputSchema,
    intent: (input) => `Expanding output ${input.outputId}${rangeSuffix(input.range)}`,
    summary: (data) => counted(data.endLine - data.startLine + 1, "line", data.truncated),
    render: ({ outputId, startLine, endLine, totalLines, content }) =>
        `${outputId} lines ${startLine}-${endLine} of ${totalLines}\n${content}`,
    async execute(input, { cache }) {
        const { outputId } = input;
        const output = cache.get(outputId);
        if (output === undefined) {
            return failure(
                "unknown-output",
                `There is no output ${outputId} in this turn.`,
                "Outputs are kept until the turn ends: call the tool again."
            );
        }
        // What does not fit goes on in the next line: else no range could ever reach it.
        const lines = outputLines(output.content).flatMap(linePieces);
        const range =
            input.range === undefined
                ? { start: 1, end: lines.length }
                : fitRange(input.range, lines.length, "the output");
        const window = cutWindow(lines, range);
        return success({
            outputId,
            toolName: output.toolName,
            ...window,
            totalLines: lines.length,
        });
    },
};
