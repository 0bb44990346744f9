import type { Job } from "./jobs.js";

export interface ShellRunOptions {
    /** Folder to run in, relative to the root or absolute inside it; defaults to the session's. */
    readonly cwd?: string;
    /** Milliseconds; defaults to 60,000, at most 600,000. */
    readonly timeoutMs?: number;
    readonly signal?: AbortSignal;
    /** Receives output as it arrives. Errors are ignored. */
    readonly onOutput?: (chunk: {
        readonly stream: "stdout" | "stderr";
        readonly text: string;
    }) => void;
}

export interface ShellOutcome {
    /** At most 1 MB: head and tail, separated by a line that counts the omitted bytes. */
    readonly stdout: string;
    readonly stderr: string;
    /** 128 + n if killed by signal n. */
    readonly exitCode: number;
    readonly durationMs: number;
    readonly truncated: boolean;
    /** Ended by the timeout. */
    readonly timedOut?: boolean;
    /** Ended by the signal. */
    readonly cancelled?: boolean;
    /** The command started in a new session. */
    readonly freshSession?: boolean;
}

/**
 * A bash session for the conversation's project: working directory, variables, functions and
 * aliases persist between commands. Commands run one at a time, without provider keys in their
 * environment. Rejects with an `ExpectedError` (`outside-repository`, `shell-unavailable`).
 */
export interface Shell {
    /** The absolute folder in which the next command without `cwd` runs. */
    readonly cwd: string;
    /** Resolves `cwd` to the absolute, real folder that approvals are matched against. */
    resolve(cwd?: string): Promise<string>;
    run(command: string, options?: ShellRunOptions): Promise<ShellOutcome>;
    /**
     * Starts the command as a job without waiting for it. Present only if the tool's plan says
     * `background`. Also rejects with `too-many-jobs`.
     */
    start?(
        command: string,
        options?: Pick<ShellRunOptions, "cwd">
    ): Promise<Job & { readonly ended: Promise<void> }>;
}
