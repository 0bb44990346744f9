import type {
    ContainmentMode,
    FileChange,
    ShellOutcome,
    ShellRunOptions,
} from "../../plugin/index.js";

/** How a contained command went. Nothing of it has happened yet. */
export interface ContainedResult {
    readonly outcome: ShellOutcome;
    readonly effects: readonly FileChange[];
    /** What it could not do contained, as an end of "It needs ...". */
    readonly needs?: string;
    /** What the model should know: what was thrown away. */
    readonly notes: readonly string[];
    /** The session takes over its folder and its exported variables; what to know about that. */
    keep(): readonly string[];
}

/** Runs commands where they can do no harm. */
export interface ContainedRuns {
    readonly mode: ContainmentMode;
    /** Why this machine cannot; found out by the first question. */
    unavailable(): Promise<string | undefined>;
    /** What the user should know, said once: that commands run contained here, or why not. */
    notice(): Promise<string | undefined>;
    /** `folder` is real. Rejects with `containment-failed` where it could not begin. */
    run(
        command: string,
        folder: string,
        options: Pick<ShellRunOptions, "cwd" | "timeoutMs" | "signal" | "onOutput">
    ): Promise<ContainedResult>;
}
