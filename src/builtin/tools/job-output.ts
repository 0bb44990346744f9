import * as Type from "typebox";
import type { JobOutput, PlainTool } from "../../plugin/index.js";
import { jobState } from "../job-state.js";
import { asJson, failure, success } from "./results.js";
import { shortened } from "./running/shortened-output.js";

const inputSchema = Type.Object(
    {
        id: Type.String({ pattern: "^[0-9]+$" }),
        waitMs: Type.Optional(
            Type.Integer({
                minimum: 0,
                maximum: 600_000,
                description: "How long to wait for its end",
            })
        ),
    },
    { additionalProperties: false }
);

export type JobOutputInput = Type.Static<typeof inputSchema>;
export type JobOutputData = JobOutput;

export const jobOutput: PlainTool<JobOutputInput, JobOutputData> = {
    name: "job_output",
    description: "Read a background job's new output and whether it still runs.",
    approval: "none",
    readOnly: true,
    inputSchema,
    intent: ({ id, waitMs = 0 }) =>
        waitMs > 0 ? `Waiting for job ${id}` : `Reading the output of job ${id}`,
    summary: jobState,
    render(data) {
        const missing = data.truncated ? "; the middle of the output is missing" : "";
        return `[job ${data.id}: ${jobState(data)}${missing}]\n${data.output}`.trimEnd();
    },
    digest(data) {
        const { text, note } = shortened("output", data.output);
        return note === undefined ? undefined : { data: asJson({ ...data, output: text }), note };
    },
    async execute({ id, waitMs = 0 }, { jobs, signal }) {
        if (!jobs) return failure("no-jobs", "There are no background jobs here.");
        return success(await jobs.output(id, { waitMs, signal }));
    },
};
