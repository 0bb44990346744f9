import { readdirSync, readFileSync } from "node:fs";
import { lstat, opendir } from "node:fs/promises";
import path from "node:path";
import type { Limits, Refusal } from "../containment.js";

const DISK_EVERY_MS = 1000;
const PROCESSES_EVERY_MS = 250;
const MAX_FILES = 200_000;
const MB = 1024 ** 2;

/** Below 1: processes that fail to start at the limit cannot be counted. */
const FULL = 0.9;

/** A run that can be watched and killed. */
export interface WatchedRun {
    /** The PID of its first process outside the namespace. */
    readonly firstProcess: number | undefined;
    kill(): void;
}

/**
 * Stops a run that uses too much. Polls, so in between only the kernel's limits apply: per process
 * and per file.
 */
export class RunLimits {
    /** Set once it has stopped the run. */
    refusal: Refusal | undefined;
    private printed = 0;
    private isLooking = false;
    private run: WatchedRun | undefined;
    private timers: readonly NodeJS.Timeout[] = [];

    constructor(
        private readonly limits: Limits,
        /** The folder the run writes to. */
        private readonly folder: string
    ) {}

    watch(run: WatchedRun): void {
        this.run = run;
        this.timers = [
            setInterval(() => void this.lookAtDisk(), DISK_EVERY_MS),
            setInterval(() => this.lookAtProcesses(run.firstProcess), PROCESSES_EVERY_MS),
        ];
    }

    end(): void {
        for (const timer of this.timers) clearInterval(timer);
    }

    /** Counts output towards the write limit. */
    print(size: number): void {
        const { writtenMb } = this.limits;
        this.printed += size;
        if (this.printed > writtenMb * MB) this.stop(`to print more than ${writtenMb} MB`);
    }

    private async lookAtDisk(): Promise<void> {
        if (this.isLooking) return;
        this.isLooking = true;
        const { folder, limits } = this;
        const room = { bytes: limits.writtenMb * MB, files: MAX_FILES };
        await measure(folder, room);
        this.isLooking = false;
        if (room.bytes <= 0) this.stop(`to write more than ${limits.writtenMb} MB`);
        if (room.files <= 0) this.stop(`to write more than ${MAX_FILES} files`);
    }

    private lookAtProcesses(firstProcess: number | undefined): void {
        const { limits } = this;
        if (firstProcess === undefined) return;
        const processes = descendants(firstProcess, limits.processes);
        if (processes.length >= limits.processes * FULL) {
            return this.stop(`more than ${limits.processes} processes`);
        }
        const used = processes.reduce((sum, pid) => sum + memoryOf(pid), 0);
        if (used > limits.memoryMb * MB) this.stop(`more than ${limits.memoryMb} MB of memory`);
    }

    private stop(what: string): void {
        this.refusal ??= { what: "size", text: what };
        this.end();
        this.run?.kill();
    }
}

/** Returns at most `most` descendants. */
function descendants(first: number, most: number): number[] {
    const found: number[] = [];
    const waiting = [first];
    for (let pid = waiting.pop(); pid !== undefined && found.length < most; pid = waiting.pop()) {
        found.push(pid);
        waiting.push(...childrenOf(pid));
    }
    return found;
}

/** Children of all its threads: the kernel lists them per thread. */
export function childrenOf(pid: number): number[] {
    return orEmpty(() => readdirSync(`/proc/${pid}/task`)).flatMap((thread) =>
        orEmpty(() => readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").split(" "))
            .map(Number)
            .filter((child) => child > 0)
    );
}

/** Private memory in bytes; processes of one program share the rest. */
function memoryOf(pid: number): number {
    const [status = ""] = orEmpty(() => [readFileSync(`/proc/${pid}/status`, "utf8")]);
    return Number(/^RssAnon:\s+(\d+)/m.exec(status)?.[1] ?? 0) * 1024;
}

/** A process may exit at any moment. */
function orEmpty(read: () => string[]): string[] {
    try {
        return read();
    } catch {
        return [];
    }
}

async function measure(folder: string, room: { bytes: number; files: number }): Promise<void> {
    const entries = await opendir(folder).catch(() => undefined);
    if (!entries) return;
    for await (const entry of entries) {
        if (room.bytes <= 0 || room.files-- <= 0) return;
        const place = path.join(folder, entry.name);
        if (entry.isDirectory()) {
            await measure(place, room);
        } else {
            room.bytes -= await lstat(place).then(
                ({ blocks }) => blocks * 512,
                () => 0
            );
        }
    }
}
