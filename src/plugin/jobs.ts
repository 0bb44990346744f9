/** A command in the background. */
export interface Job {
    readonly id: string;
    readonly command: string;
    /** Milliseconds since 1970. */
    readonly startedAt: number;
    /** `stopped` by `Jobs.stop`, or because North quits. */
    readonly state: "running" | "exited" | "stopped";
    /** Once it has ended; 128 + n after death by signal n. */
    readonly exitCode?: number;
}

/** What a job printed, stdout and stderr in the order of their arrival. */
export interface JobOutput extends Job {
    /** At most 1 MB: head and tail, with a line between that counts the omitted bytes. */
    readonly output: string;
    readonly truncated: boolean;
}

/**
 * The commands that run in the background, each in a bash of its own, until they end, are stopped,
 * or North quits. Unknown ids reject with `no-such-job`.
 */
export interface Jobs {
    /** Also those that have ended, oldest first. */
    list(): readonly Job[];
    /** What a job printed since the last call. `waitMs` waits so long for its end. */
    output(
        id: string,
        options?: { readonly waitMs?: number; readonly signal?: AbortSignal }
    ): Promise<JobOutput>;
    /** The end of all it printed, read or not. */
    recent(id: string): string;
    /** Ends a job with all that it started, within 2.5 s. */
    stop(id: string): Promise<Job>;
}
