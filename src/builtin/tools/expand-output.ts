import * as Type from "typebox";
import { countedAtLeast } from "../../base/format.js";
import { fitRange, lineRangeSchema } from "../../code/text/line-range.js";
import { cutWindow } from "../../code/text/line-window.js";
import { readOnlyTool } from "./read-only-tool.js";
import { outputLines } from "./reading/output-lines.js";
import { rangeSuffix } from "./reading/wording.js";
import { failure, success } from "./results.js";

export const expandOutput = readOnlyTool({
    name: "expand_output",
    isEssential: true,
    description: "Get a shortened result of this turn in full, or some of its lines.",
    kind: "read",
    input: { outputId: Type.String({ minLength: 1 }), range: Type.Optional(lineRangeSchema) },
    intent: (input) => `Expanding output ${input.outputId}${rangeSuffix(input.range)}`,
    async execute({ outputId, range }, { cache }) {
        const output = cache.get(outputId);
        if (output === undefined) {
            return failure(
                "unknown-output",
                `There is no output ${outputId} in this turn.`,
                "Outputs are kept until the turn ends: call the tool again."
            );
        }
        const lines = outputLines(output.content);
        const totalLines = lines.length;
        const wanted = range
            ? fitRange(range, totalLines, "the output")
            : { start: 1, end: totalLines };
        return success({
            outputId,
            toolName: output.toolName,
            ...cutWindow(lines, wanted),
            totalLines,
        });
    },
    summary: (data) => countedAtLeast(data.endLine - data.startLine + 1, "line", data),
    render: ({ outputId, startLine, endLine, totalLines, content }) =>
        `${outputId} lines ${startLine}-${endLine} of ${totalLines}\n${content}`,
});
