import type { SlashScreen } from "./slash-screen.js";

export interface RaceOptions {
    /** The task that each run gets. */
    readonly prompt: string;
    /** Names; by default the session's model. */
    readonly models?: readonly string[] | undefined;
    /** Runs of each model; defaults to 1. */
    readonly times?: number | undefined;
    /** Command that decides: a run passes if it exits with 0. */
    readonly until: string;
    /** US dollars for all runs together. */
    readonly maxCostUsd?: number | undefined;
    readonly signal: AbortSignal;
    /** Called with the table of the runs whenever it changes. */
    progress(table: string): void;
}

/** Runs of one task that have ended. */
export interface FinishedRace {
    /** One line per run, and one about all of them. */
    readonly text: string;
    /**
     * Has the winner's draft reviewed, if there is one, and applies it on a yes. Deletes the other
     * runs after the answer.
     */
    review(screen: Pick<SlashScreen, "confirmChanges" | "print">): Promise<void>;
}
