import { readFileSync } from "node:fs";
import { attempt } from "../../../base/attempt.js";
import type { Refusal } from "../containment.js";
import { failedConnection, tracesIn } from "../network-evidence.js";
import { cpuSeconds, descendants } from "./usage.js";

export interface WatchedRun {
    /** The PID of its first process outside the namespace. */
    readonly firstProcess: number | undefined;
    kill(): void;
}

const EVERY_MS = 1_000;
/** Looks that saw new attempts, and the time since the first of them. */
const [MIN_ATTEMPTS, MIN_MS] = [3, 5_000];
/** Share of a processor below which a run only waits. */
const IDLE = 0.2;
const MAX_PROCESSES = 2_000;

/**
 * Stops a run that does nothing but try the network again and again. One that prints or works
 * between its attempts goes on: its tests may only report how they are used.
 */
export class NetworkWatch {
    /** As last seen: a stopped run has no report. */
    counters = "";
    /** Set once it has stopped the run. */
    refusal: Refusal | undefined;
    private timer: NodeJS.Timeout | undefined;
    private attempts = 0;
    private looks = 0;
    private since: number | undefined;
    private cpu = 0;

    constructor(private readonly now: () => number = () => performance.now()) {}

    watch(run: WatchedRun): void {
        this.timer = setInterval(() => this.look(run), EVERY_MS);
    }

    end(): void {
        clearInterval(this.timer);
    }

    /** What a run prints besides failed connections is work. */
    print(text: string): void {
        const isComplaint = failedConnection(text.split("\n")) !== undefined;
        if (!isComplaint && text.trim() !== "") this.forget();
    }

    private look(run: WatchedRun): void {
        const { firstProcess } = run;
        if (firstProcess === undefined) return;
        this.counters = countersOf(firstProcess) ?? this.counters;
        const attempts = tracesIn(this.counters).beyond;
        const cpu = cpuSeconds(descendants(firstProcess, MAX_PROCESSES));
        const isBusy = cpu - this.cpu > (IDLE * EVERY_MS) / 1_000;
        const isNew = attempts > this.attempts;
        this.cpu = cpu;
        this.attempts = attempts;
        if (isBusy) this.forget();
        if (!isNew || isBusy) return;
        this.since ??= this.now();
        this.looks += 1;
        if (this.looks < MIN_ATTEMPTS || this.now() - this.since < MIN_MS) return;
        this.refusal = { what: "network", text: "It needs the network, which it keeps trying" };
        this.end();
        run.kill();
    }

    private forget(): void {
        this.looks = 0;
        this.since = undefined;
    }
}

/** As in the supervisor's report. */
function countersOf(pid: number): string | undefined {
    return attempt(() =>
        ["snmp", "snmp6"]
            .map((table) => readFileSync(`/proc/${pid}/net/${table}`, "utf8"))
            .join("\n")
    );
}
