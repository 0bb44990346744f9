import type { PrintResult } from "../../chat/print/run-print.js";
import { formatUsd, counted } from "../../base/format.js";
import type { NorthError } from "../../base/north-error.js";
import { sleep } from "../../base/waiting.js";
import { findRoot } from "../../workspace/find-root.js";
import { createConversationStore } from "../../storage/conversations/conversations.js";
import { earlierRun } from "./once.js";
import { sumUsd } from "../../base/money.js";
import { runTask, type Task, type TaskPlace } from "./run-task.js";
import { restoreStartFolder, startFolder } from "./start-folder.js";
import type { ListedTask } from "./task-list.js";

interface TasksOptions extends Omit<TaskPlace, "onEvent"> {
    readonly tasks: readonly ListedTask[];
    /** Of all tasks; a task's own model and command to pass win. */
    readonly flags: Task["flags"];
    readonly jobs: number;
    /** US dollars for all tasks together, with what earlier starts have paid. */
    readonly maxCostUsd: number | undefined;
    /** Added to each id to make its key: another prefix runs the tasks again. */
    readonly keyPrefix: string;
    readonly dataFolder: string;
    /** What is about to happen, in one line. */
    announce(text: string): void;
    /** Called in the order in which tasks end. */
    onResult(task: ListedTask, result: TaskResult): void;
    progress(progress: Progress): void;
}

export type TaskResult = PrintResult | { readonly stopReason: "error"; readonly error: NorthError };

export interface Progress {
    readonly total: number;
    readonly done: number;
    readonly failed: number;
    readonly running: number;
    readonly costUsd: number;
}

/** How all of them ended. */
export interface TasksOutcome extends Progress {
    /** In progress in another process. */
    readonly held: number;
    readonly isCapReached: boolean;
    /** Tasks of unknown price, which no limit counts. */
    readonly unpriced: number;
}

interface Planned {
    readonly task: ListedTask;
    readonly run: Task & { readonly once: string };
    /** The checkout, or a clone at another commit. */
    readonly root: string;
    /** Since its last reply. */
    crashes: number;
    waits: number;
}

const MAX_CRASHES = 3;
/** A killed North leaves tasks that notice it only when they print. */
const [HELD_WAITS, HELD_WAIT_MS] = [5, 2_000];

/** Runs tasks, each in a process and a draft of its own; those that finished earlier are not run. */
export async function runTasks(options: TasksOptions): Promise<TasksOutcome> {
    const run = new TaskQueue(options);
    await run.plan();
    await Promise.all(Array.from({ length: options.jobs }, () => run.work()));
    return run.end();
}

class TaskQueue {
    private readonly waiting: Planned[] = [];
    private readonly cap = new AbortController();
    private readonly signal: AbortSignal;
    private readonly costs = new Map<string, number>();
    private done = 0;
    private failed = 0;
    private running = 0;
    private held = 0;
    private unpriced = 0;

    constructor(private readonly options: TasksOptions) {
        this.signal = AbortSignal.any([options.signal, this.cap.signal]);
    }

    /** Announces what will run and what it may cost, and reports what is finished. */
    async plan(): Promise<void> {
        const { tasks, jobs, maxCostUsd, announce } = this.options;
        const { root: home } = await findRoot(this.options.folder);
        const finished: (readonly [ListedTask, PrintResult])[] = [];
        /** Tasks by their interrupted conversations. */
        const interrupted = new Map<string, string>();
        for (const task of tasks) {
            const planned = await this.planned(task, home);
            const { run, root } = planned;
            const asked = { mode: "draft", prompt: run.prompt, ...run.flags } as const;
            const earlier = await earlierRun({ ...this.options, root }, run.once, asked);
            if (earlier.finished) {
                finished.push([task, earlier.finished]);
                this.costs.set(task.id, earlier.finished.costUsd ?? 0);
                continue;
            }
            if (earlier.conversationId) interrupted.set(earlier.conversationId, task.id);
            else if (root !== home) await restoreStartFolder(root);
            this.waiting.push(planned);
        }
        await this.countInterrupted(interrupted);
        const known = [
            ...(finished.length > 0 ? [`${finished.length} finished`] : []),
            ...(interrupted.size > 0 ? [`${interrupted.size} interrupted`] : []),
        ];
        const earlier =
            known.length === 0 ? "" : `${known.join(", ")} (${formatUsd(this.costUsd)}), `;
        const limit =
            maxCostUsd === undefined ? "no cost limit" : `at most ${formatUsd(maxCostUsd)}`;
        announce(
            `${counted(tasks.length, "task")}: ${earlier}${this.waiting.length} to run, ${jobs} at a time, ${limit}.`
        );
        for (const [task, result] of finished) this.settle(task, result);
        this.enforceCap();
    }

    private async countInterrupted(tasks: ReadonlyMap<string, string>): Promise<void> {
        if (tasks.size === 0) return;
        for (const { id, costUsd } of await createConversationStore(
            this.options.dataFolder
        ).list()) {
            const task = tasks.get(id);
            if (task !== undefined) this.costs.set(task, costUsd);
        }
    }

    /** One of several workers. */
    async work(): Promise<void> {
        for (;;) {
            const next = this.signal.aborted ? undefined : this.waiting.shift();
            if (next === undefined) return;
            this.running += 1;
            try {
                await this.attempt(next);
            } finally {
                this.running -= 1;
                this.tell();
            }
        }
    }

    end(): TasksOutcome {
        const { held, unpriced, done, failed } = this;
        const isLeft = done + failed < this.options.tasks.length;
        const isCapReached = this.cap.signal.aborted && isLeft;
        return { ...this.progress(), held, unpriced, isCapReached };
    }

    private async planned(task: ListedTask, home: string): Promise<Planned> {
        const { flags, keyPrefix, dataFolder } = this.options;
        const { prompt, commit, model = flags.model, until = flags.until } = task;
        const root =
            commit === undefined ? home : await startFolder({ root: home, dataFolder }, commit);
        const own = { ...flags, ...(model && { model }), ...(until && { until }) };
        const run = { prompt, flags: own, once: keyPrefix + task.id };
        return { task, run, root, crashes: 0, waits: 0 };
    }

    private async attempt(planned: Planned): Promise<void> {
        const { task, run, root: folder } = planned;
        const { program, environment } = this.options;
        this.tell();
        let costUsd = this.costs.get(task.id) ?? 0;
        const end = await runTask(run, {
            ...{ program, environment, folder, signal: this.signal },
            onEvent: (event) => {
                if (event.type !== "usage-reported" && event.type !== "nested-usage") return;
                costUsd += event.costUsd ?? 0;
                planned.crashes = 0;
                this.costs.set(task.id, costUsd);
                this.tell();
                this.enforceCap();
            },
        });
        if (end.kind === "held") return this.wait(planned);
        // Stopped: the next start resumes it.
        if (this.signal.aborted && !isDone(end)) return;
        if (end.kind === "result") return this.settle(task, end.result);
        planned.crashes += 1;
        if (planned.crashes < MAX_CRASHES) this.waiting.unshift(planned);
        else this.settle(task, { stopReason: "error", error: end.error });
    }

    private async wait(planned: Planned): Promise<void> {
        planned.waits += 1;
        if (planned.waits > HELD_WAITS) {
            this.held += 1;
            return;
        }
        this.waiting.push(planned);
        if (this.waiting.every(({ waits }) => waits > 0)) {
            await sleep(HELD_WAIT_MS, this.signal).catch(() => {});
        }
    }

    private settle(task: ListedTask, result: TaskResult): void {
        const hasEnded = result.stopReason === "end";
        if (hasEnded) this.done += 1;
        else this.failed += 1;
        if ("costUsd" in result) {
            if (result.costUsd === null) this.unpriced += 1;
            // The whole task's, with what an interrupted process had paid.
            this.costs.set(task.id, result.costUsd ?? this.costs.get(task.id) ?? 0);
        }
        this.options.onResult(task, result);
        this.enforceCap();
    }

    private enforceCap(): void {
        const { maxCostUsd = Infinity } = this.options;
        const isOpen = this.waiting.length > 0 || this.running > 0;
        if (isOpen && this.costUsd >= maxCostUsd) this.cap.abort();
    }

    private get costUsd(): number {
        return sumUsd([...this.costs.values()]);
    }

    private tell(): void {
        this.options.progress(this.progress());
    }

    private progress(): Progress {
        const { done, failed, running, costUsd } = this;
        return { total: this.options.tasks.length, done, failed, running, costUsd };
    }
}

function isDone(end: Awaited<ReturnType<typeof runTask>>): boolean {
    return end.kind === "result" && end.result.stopReason !== "cancelled";
}
