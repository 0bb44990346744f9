import type {
    ContainmentMode,
    FileChange,
    ShellOutcome,
    ShellRunOptions,
} from "../../plugin/index.js";

/** The result of a contained command. Nothing has been applied yet. */
export interface ContainedResult {
    readonly outcome: ShellOutcome;
    readonly effects: readonly FileChange[];
    /** What it could not do contained, as the end of "It needs ...". */
    readonly needs?: string;
    /** Notes for the model: what was discarded. */
    readonly notes: readonly string[];
    /** Applies its folder and exported variables to the session; returns notes about that. */
    keep(): readonly string[];
}

/** Runs commands contained, where they can do no harm. */
export interface ContainedRuns {
    readonly mode: ContainmentMode;
    /** Why this machine cannot contain commands; checked on the first call. */
    unavailable(): Promise<string | undefined>;
    /** A notice for the user, given once: that commands run contained, or why not. */
    notice(): Promise<string | undefined>;
    /** `folder`: a real path. Rejects with `containment-failed` if the command could not start. */
    run(
        command: string,
        folder: string,
        options: Pick<ShellRunOptions, "cwd" | "timeoutMs" | "signal" | "onOutput">
    ): Promise<ContainedResult>;
}
