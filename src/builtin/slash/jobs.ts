import { alignColumns } from "../../base/columns.js";
import { formatDuration } from "../../base/format.js";
import type { SlashCommand } from "../../plugin/index.js";
import { jobState } from "../job-state.js";
import { startingWith, wrongUsage } from "./wording.js";

const SHOWN_LINES = 40;

export const jobs: SlashCommand = {
    name: "jobs",
    description: "List background jobs, show what one printed, or stop it.",
    usage: "/jobs [ID | stop ID]",
    // May stop a job, but does not affect the running turn.
    onlyShows: true,
    complete(argument, { shell }) {
        const [, stop = ""] = /^(stop\s+)/.exec(argument) ?? [];
        const known = shell.jobs.list().filter(({ state }) => stop === "" || state === "running");
        return startingWith(
            argument,
            known.map(({ id, command }) => ({ value: `${stop}${id}`, description: command }))
        );
    },
    async run(argumentsText, { shell, screen }) {
        const [first = "", second, ...more] = argumentsText.trim().split(/\s+/);
        if (more.length > 0 || (first === "stop") !== (second !== undefined)) {
            throw wrongUsage(jobs);
        }
        if (second !== undefined) {
            const job = await shell.jobs.stop(second);
            return screen.print(`Stopped: ${job.command}`);
        }
        if (first !== "") {
            const lines = shell.jobs.recent(first).trimEnd().split("\n").slice(-SHOWN_LINES);
            return screen.printVerbatim(lines.join("\n") || "No output so far.");
        }
        const list = shell.jobs.list();
        if (list.length === 0) return screen.print("No background jobs.");
        const rows = list.map((job) => {
            const time = formatDuration(Date.now() - job.startedAt);
            const state = job.state === "running" ? `running for ${time}` : jobState(job);
            return [job.id, state, job.command];
        });
        screen.print(alignColumns(rows).join("\n"));
    },
};
