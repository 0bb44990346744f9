import type { PrintResult } from "../../chat/print/run-print.js";
import { allDiffsOf } from "../../core/diff/diff.js";
import { sumUsd } from "../../base/money.js";
import { messageOf } from "../../base/system-error.js";
import { assertChecksSeeDrafts } from "../operations/check-in-view.js";
import { readDraft } from "../operations/open-drafts.js";
import { findRoot } from "../../workspace/find-root.js";
import { runTask, type Task, type TaskEnd, type TaskPlace } from "./run-task.js";

interface RaceRequest extends Omit<TaskPlace, "onEvent"> {
    readonly prompt: string;
    /** Names; `undefined` is the default model. */
    readonly models: readonly (string | undefined)[];
    /** Runs of each model. */
    readonly times: number;
    /** Of each run; `until` is the check that decides. */
    readonly flags: Task["flags"] & { readonly until: string };
    /** US dollars for all runs together. */
    readonly maxCostUsd: number | undefined;
    readonly dataFolder: string;
    /** Called after each change, and each second. */
    onChange(runs: readonly RaceRun[]): void;
    onEnd(run: RaceRun): void;
}

/** One of the runs. `dearer`: stopped, since one that passed has cost less. */
export interface RaceRun {
    /** `sonnet`, or `sonnet 2` if it runs several times. */
    readonly name: string;
    state: "running" | "pass" | "fail" | "dearer" | "stopped";
    conversationId?: string;
    /** US dollars so far; `null` if a price is unknown. */
    costUsd: number | null;
    durationMs: number;
    linesAdded: number;
    linesRemoved: number;
    /** Why it has not passed. */
    problem?: string;
    /** What to do about it. */
    nextSteps?: readonly string[];
}

export interface RaceEnd {
    readonly runs: readonly RaceRun[];
    /** The cheapest that passed and changed something; of equally cheap ones the fastest. */
    readonly winner?: RaceRun;
    /** The sum of the known costs. */
    readonly costUsd: number;
    readonly isCapReached: boolean;
}

/**
 * Runs a task several times at once, each in a draft of its own over the same project, which stays
 * as it is. Rejects with the signal's reason, and with `check-unseeing` before any run starts.
 */
export async function race(options: RaceRequest): Promise<RaceEnd> {
    const { flags, environment, folder, signal } = options;
    const { root } = await findRoot(folder);
    await assertChecksSeeDrafts({ environment, root, mode: flags.contain });
    signal.throwIfAborted();
    const running = new Race(options);
    await running.finish();
    signal.throwIfAborted();
    return running.end();
}

const TICK_MS = 1_000;

class Race {
    private readonly runs: (RaceRun & { readonly model: string | undefined })[];
    private readonly stops = new Map<RaceRun, AbortController>();
    private isCapReached = false;

    constructor(private readonly options: RaceRequest) {
        this.runs = options.models.flatMap((model) =>
            Array.from({ length: options.times }, (_, index) => ({
                model,
                name: (model ?? "default") + (options.times > 1 ? ` ${index + 1}` : ""),
                state: "running" as const,
                ...{ costUsd: 0, durationMs: 0, linesAdded: 0, linesRemoved: 0 },
            }))
        );
    }

    async finish(): Promise<void> {
        const { onChange } = this.options;
        const begin = performance.now();
        const timer = setInterval(() => {
            const durationMs = Math.round(performance.now() - begin);
            for (const run of this.stops.keys()) run.durationMs = durationMs;
            onChange(this.runs);
        }, TICK_MS);
        try {
            await Promise.all(this.runs.map((run) => this.attempt(run, run.model)));
        } finally {
            clearInterval(timer);
        }
    }

    end(): RaceEnd {
        const winner = this.best;
        const { isCapReached, costUsd } = this;
        const runs = this.runs.map(({ model: _, ...run }) => run);
        return { runs, winner, costUsd, isCapReached };
    }

    private async attempt(run: RaceRun, model: string | undefined): Promise<void> {
        const { prompt, signal, maxCostUsd, ...options } = this.options;
        const stop = new AbortController();
        this.stops.set(run, stop);
        const begin = performance.now();
        const flags = {
            ...options.flags,
            ...(model !== undefined && { model }),
            ...(maxCostUsd !== undefined && { "max-cost": maxCostUsd }),
        };
        const end = await runTask(
            { prompt, flags },
            {
                ...options,
                signal: AbortSignal.any([signal, stop.signal]),
                onEvent: (event) => {
                    if (event.type !== "usage-reported" && event.type !== "nested-usage") return;
                    const costs = [run.costUsd, event.costUsd].filter((each) => each !== null);
                    run.costUsd = costs.length === 2 ? sumUsd(costs) : null;
                    this.changed();
                },
            }
        );
        this.stops.delete(run);
        run.durationMs = Math.round(performance.now() - begin);
        await this.settle(run, end).catch((error: unknown) => {
            // Its draft cannot be read; the other runs are paid for.
            Object.assign(run, { state: "fail", problem: messageOf(error) });
        });
        this.options.onEnd(run);
        this.changed();
    }

    private async settle(run: RaceRun, end: TaskEnd): Promise<void> {
        if (end.kind !== "result") {
            if (run.state === "running") run.state = "fail";
            run.problem =
                end.kind === "crashed" ? end.error.message : "It is in progress elsewhere.";
            return;
        }
        const { conversationId, costUsd, draft, error } = end.result;
        run.costUsd = costUsd;
        if (conversationId !== null) run.conversationId = conversationId;
        if (run.state === "running") run.state = stateOf(end.result);
        if (error) Object.assign(run, { problem: error.message, nextSteps: error.nextSteps });
        else if (run.state === "fail") run.problem = "It changed nothing.";
        if (conversationId !== null && draft && draft.files.length > 0) {
            const { dataFolder, folder } = this.options;
            const { changeSet } = await readDraft(dataFolder, folder, conversationId);
            for (const { linesAdded, linesRemoved } of allDiffsOf(changeSet)) {
                run.linesAdded += linesAdded;
                run.linesRemoved += linesRemoved;
            }
        }
    }

    private changed(): void {
        const { maxCostUsd = Infinity } = this.options;
        const { best } = this;
        if (this.stops.size > 0 && this.costUsd >= maxCostUsd) this.isCapReached = true;
        for (const [run, stop] of this.stops) {
            const isDearer = best !== undefined && priceOf(run) > priceOf(best);
            if (!this.isCapReached && !isDearer) continue;
            run.state = this.isCapReached ? "stopped" : "dearer";
            stop.abort();
        }
        this.options.onChange(this.runs);
    }

    private get best(): RaceRun | undefined {
        const passed = this.runs.filter(({ state }) => state === "pass");
        return passed.sort(
            (one, other) => priceOf(one) - priceOf(other) || one.durationMs - other.durationMs
        )[0];
    }

    private get costUsd(): number {
        return sumUsd(this.runs.map(({ costUsd }) => costUsd ?? 0));
    }
}

/** A run without a change proves only that the check does not need one. */
function stateOf({ isError, draft }: PrintResult): RaceRun["state"] {
    return !isError && draft && draft.files.length > 0 ? "pass" : "fail";
}

function priceOf({ costUsd }: RaceRun): number {
    return costUsd ?? Number.MAX_VALUE;
}
