import * as Type from "typebox";
import type { Job, PlainTool } from "../../plugin/index.js";
import { jobState } from "../job-state.js";
import { strictObject } from "./read-only-tool.js";
import { failure, success } from "./results.js";

const inputSchema = strictObject({ id: Type.String({ pattern: "^[0-9]+$" }) });

export const jobStop: PlainTool<Type.Static<typeof inputSchema>, Job> = {
    name: "job_stop",
    description: "Stop a background job.",
    approval: "none",
    readOnly: false,
    inputSchema,
    equivalents: () => [{ tool: "KillShell", input: {} }],
    intent: ({ id }) => `Stopping job ${id}`,
    summary: jobState,
    render: (data) => `[job ${data.id}: ${jobState(data)}]`,
    async execute({ id }, { jobs }) {
        if (!jobs) return failure("no-jobs", "There are no background jobs here.");
        return success(await jobs.stop(id));
    },
};
