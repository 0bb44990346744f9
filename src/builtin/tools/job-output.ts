import { terminalText } from "../../base/safe-text.js";
import * as Type from "typebox";
import { jobState } from "../job-state.js";
import { readOnlyTool } from "./read-only-tool.js";
import { asJson, failure, success } from "./results.js";
import { shortened } from "./running/shortened-output.js";

export const jobOutput = readOnlyTool({
    name: "job_output",
    description: "Read a background job's new output and whether it still runs.",
    input: {
        id: Type.String({ pattern: "^[0-9]+$" }),
        waitMs: Type.Optional(
            Type.Integer({
                minimum: 0,
                maximum: 600_000,
                description: "How long to wait for its end",
            })
        ),
    },
    equivalents: () => [{ tool: "BashOutput", input: {} }],
    intent: ({ id, waitMs = 0 }) =>
        waitMs > 0 ? `Waiting for job ${id}` : `Reading the output of job ${id}`,
    async execute({ id, waitMs = 0 }, { jobs, signal }) {
        if (!jobs) return failure("no-jobs", "There are no background jobs here.");
        const read = await jobs.output(id, { waitMs, signal });
        return success({ ...read, output: terminalText(read.output) });
    },
    summary: (data) => jobState(data),
    render(data) {
        const missing = data.truncated ? "; the middle of the output is missing" : "";
        return `[job ${data.id}: ${jobState(data)}${missing}]\n${data.output}`.trimEnd();
    },
    digest(data) {
        const result = asJson(data);
        const { text, note } = shortened(result, "output");
        return note === undefined ? undefined : { data: { ...result, output: text }, note };
    },
});
