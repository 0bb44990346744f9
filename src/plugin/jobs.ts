/** A background command. */
export interface Job {
    readonly id: string;
    readonly command: string;
    /** Milliseconds since 1970. */
    readonly startedAt: number;
    /** `stopped`: by `Jobs.stop`, or because North quit. */
    readonly state: "running" | "exited" | "stopped";
    /** Set once it has ended; 128 + n if killed by signal n. */
    readonly exitCode?: number;
}

/** A job's output, stdout and stderr in order of arrival. */
export interface JobOutput extends Job {
    /** At most 1 MB: head and tail, separated by a line that counts the omitted bytes. */
    readonly output: string;
    readonly truncated: boolean;
}

/**
 * Background commands. Each runs in its own bash until it exits, is stopped, or North quits.
 * Unknown ids reject with `no-such-job`.
 */
export interface Jobs {
    /** All jobs, including ended ones, oldest first. */
    list(): readonly Job[];
    /** Output since the last call. `waitMs` waits up to that long for the job to end. */
    output(
        id: string,
        options?: { readonly waitMs?: number; readonly signal?: AbortSignal }
    ): Promise<JobOutput>;
    /** The tail of everything it printed, whether already read or not. */
    recent(id: string): string;
    /** Stops a job and everything it started, within 2.5 s. */
    stop(id: string): Promise<Job>;
}
