import { NorthError } from "../base/north-error.js";
import { untilAborted, within } from "../base/waiting.js";
import type { Job, JobOutput, Jobs } from "../plugin/jobs.js";
import { BoundedOutput } from "./bounded-output.js";
import type { Session } from "./session.js";

const MAX_RUNNING = 16;
const RECENT_CHARACTERS = 64 * 1024;
/** The longest delay Node's timers support. */
const NO_LIMIT = 2 ** 31 - 1;

interface RunningJob {
    job: Job;
    unread: BoundedOutput;
    recent: string;
    readonly stopping: AbortController;
    readonly ended: Promise<void>;
}

interface JobStart {
    readonly session: Session;
    /** The real path of the folder to start in. */
    readonly folder: string;
    readonly definitions: string;
}

/** Background jobs. Each has its own session, so ending another session never ends a job. */
export class BackgroundJobs implements Jobs {
    private readonly jobs = new Map<string, RunningJob>();
    private readonly watchers: ((job: Job) => void)[] = [];

    list(): readonly Job[] {
        return [...this.jobs.values()].map(({ job }) => job);
    }

    watch(listener: (job: Job) => void): void {
        this.watchers.push(listener);
    }

    /** Rejects with `too-many-jobs`. */
    requireRoom(): void {
        const running = this.list().filter(({ state }) => state === "running");
        if (running.length < MAX_RUNNING) return;
        throw new NorthError("too-many-jobs", `${MAX_RUNNING} jobs are running.`, [
            "Stop one first.",
        ]);
    }

    start(command: string, start: JobStart): Job & { readonly ended: Promise<void> } {
        const id = String(this.jobs.size + 1);
        const job: Job = { id, command, startedAt: Date.now(), state: "running" };
        const stopping = new AbortController();
        const unread = new BoundedOutput();
        const ended = this.run(id, start, stopping.signal);
        this.jobs.set(id, { job, unread, recent: "", stopping, ended });
        this.tell(job);
        return { ...job, ended };
    }

    async output(
        id: string,
        { waitMs = 0, signal }: { readonly waitMs?: number; readonly signal?: AbortSignal } = {}
    ): Promise<JobOutput> {
        const running = this.find(id);
        const over = within(waitMs, running.ended, () => {});
        await (signal ? untilAborted(over, signal) : over);
        const { unread } = running;
        running.unread = new BoundedOutput();
        return { ...running.job, output: unread.text(), truncated: unread.truncated };
    }

    recent(id: string): string {
        return this.find(id).recent;
    }

    async stop(id: string): Promise<Job> {
        const running = this.find(id);
        running.stopping.abort();
        await running.ended;
        return running.job;
    }

    async stopAll(): Promise<void> {
        await Promise.all([...this.jobs.keys()].map((id) => this.stop(id)));
    }

    private find(id: string): RunningJob {
        const running = this.jobs.get(id);
        if (running) return running;
        const ids = [...this.jobs.keys()].join(", ");
        const known = ids === "" ? "none was started" : `the jobs are ${ids}`;
        throw new NorthError("no-such-job", `There is no job ${id}: ${known}.`);
    }

    private async run(
        id: string,
        { session, folder, definitions }: JobStart,
        signal: AbortSignal
    ): Promise<void> {
        // Yield, so that the job is in the list first.
        await Promise.resolve();
        const running = this.find(id);
        const result = await session
            .run({
                command: `${definitions}\n${running.job.command}`,
                folder,
                timeoutMs: NO_LIMIT,
                signal,
                onOutput: ({ text }) => {
                    running.unread.push(Buffer.from(text));
                    running.recent = (running.recent + text).slice(-RECENT_CHARACTERS);
                },
            })
            .catch(() => undefined);
        await session.end();
        const state = signal.aborted ? "stopped" : "exited";
        running.job = { ...running.job, state, exitCode: result?.exitCode ?? 1 };
        this.tell(running.job);
    }

    private tell(job: Job): void {
        for (const listener of this.watchers) listener(job);
    }
}
