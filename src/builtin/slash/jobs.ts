import { inColumns } from "../../base/columns.js";
import { formatDuration } from "../../base/format.js";
import type { SlashCommand } from "../../plugin/index.js";
import { jobState } from "../job-state.js";

const USAGE = "/jobs [ID | stop ID]";
const SHOWN_LINES = 40;

/** `/jobs`: commands in the background. */
export const jobs: SlashCommand = {
    name: "jobs",
    description: "List background jobs, show what one printed, or stop it.",
    usage: USAGE,
    // It may stop a job, but it changes nothing of the turn beside which it runs.
    onlyShows: true,
    complete(argument, { jobs }) {
        const [, stop = ""] = /^(stop\s+)/.exec(argument) ?? [];
        return jobs
            .list()
            .filter(({ state }) => stop === "" || state === "running")
            .map(({ id, command }) => ({ value: `${stop}${id}`, description: command }))
            .filter(({ value }) => value.startsWith(argument));
    },
    async run(argumentsText, { jobs, print, printVerbatim }) {
        const [first = "", second, ...more] = argumentsText.trim().split(/\s+/);
        if (more.length > 0 || (first === "stop") !== (second !== undefined)) {
            return print(`Usage: ${USAGE}`);
        }
        if (second !== undefined) {
            const job = await jobs.stop(second);
            return print(`Stopped: ${job.command}`);
        }
        if (first !== "") {
            const lines = jobs.recent(first).trimEnd().split("\n").slice(-SHOWN_LINES);
            return printVerbatim(lines.join("\n") || "No output so far.");
        }
        const list = jobs.list();
        if (list.length === 0) return print("No background jobs.");
        const rows = list.map((job) => {
            const time = formatDuration(Date.now() - job.startedAt);
            return [
                job.id,
                job.state === "running" ? `running for ${time}` : jobState(job),
                job.command,
            ];
        });
        print(inColumns(rows).join("\n"));
    },
};
