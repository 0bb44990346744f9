/** How to run one command. */
export interface ShellRunOptions {
    /** Folder to run in, relative to the root or absolute inside it; the session's own if absent. */
    readonly cwd?: string;
    /** Milliseconds; 60,000 if absent, 600,000 at most. */
    readonly timeoutMs?: number;
    readonly signal?: AbortSignal;
    /** Told of output as it arrives. What it throws is ignored. */
    readonly onOutput?: (chunk: {
        readonly stream: "stdout" | "stderr";
        readonly text: string;
    }) => void;
}

/** What a command did. */
export interface ShellOutcome {
    /** At most 1 MB: head and tail, the cut counted in a line between them. */
    readonly stdout: string;
    readonly stderr: string;
    /** 128 + n after death by signal n. */
    readonly exitCode: number;
    readonly durationMs: number;
    readonly truncated: boolean;
    /** The time limit ended it. */
    readonly timedOut?: boolean;
    /** The signal ended it. */
    readonly cancelled?: boolean;
    /** The command began in a session that has just been started anew. */
    readonly freshSession?: boolean;
}

/**
 * One bash session for the conversation's project: working directory, variables, functions and
 * aliases carry over from command to command. Commands run one at a time. Provider keys are not in
 * its environment. Rejects with an `ExpectedError` (`outside-repository`, `shell-unavailable`).
 */
export interface Shell {
    /** The absolute folder in which the next command without `cwd` runs. */
    readonly cwd: string;
    /**
     * The absolute, real folder in which a command with this `cwd` would run; what an approval is
     * matched on.
     */
    resolve(cwd?: string): Promise<string>;
    run(command: string, options?: ShellRunOptions): Promise<ShellOutcome>;
}
