import { visibleLine } from "../../base/safe-text.js";
import type {
    ContainmentMode,
    FileChange,
    Shell,
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
    /** Hands its folder and exported variables to later contained commands; returns notes. */
    keep(): readonly string[];
}

/** Variables that contained commands set, at one moment. */
export interface SetVariables {
    /** `NAME=value` for the question, secrets redacted. */
    readonly shown: readonly string[];
    /** The session's shell, in which a command starts with exactly these. */
    readonly shell: Shell;
}

/** Said in the question about the variables below. */
export const SET_EARLIER = "It runs with what earlier commands set";

/** One of `SetVariables.shown` as a line of the question. */
export function variableLine(assignment: string): string {
    return `with ${visibleLine(assignment)}`;
}

/** Runs commands contained, where they can do no harm. */
export interface ContainedRuns {
    readonly mode: ContainmentMode;
    /** Why this machine cannot contain commands; checked on the first call. */
    unavailable(): Promise<string | undefined>;
    /** A notice for the user, given once: that commands run contained, or why not. */
    notice(): Promise<string | undefined>;
    /**
     * What contained commands set and no real one has. Security: a command gets it only if the user
     * approves both together. `undefined` if there is nothing.
     */
    setVariables?(): Promise<SetVariables | undefined>;
    /** `folder`: a real path. Rejects with `containment-failed` if the command could not start. */
    run(
        command: string,
        folder: string,
        options: Pick<ShellRunOptions, "cwd" | "timeoutMs" | "signal" | "onOutput">
    ): Promise<ContainedResult>;
}
