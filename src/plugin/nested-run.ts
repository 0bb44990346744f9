import type { Usage } from "./provider.js";

/** A run of the model beside the conversation. */
export interface NestedRunOptions {
    readonly prompt: string;
    /** What the model is told before; North's own words for a run that only reads if absent. */
    readonly system?: string;
    /** All tools that only read, or some of them. Commands run contained. */
    readonly tools?: "read-only" | readonly string[];
    /** A model of the conversation's provider; by default the one of the settings, else a cheaper one. */
    readonly model?: string;
    /** Most requests; 20 unless told otherwise. */
    readonly maxTurns?: number;
    /** Most US dollars. The conversation's own limits hold as well. */
    readonly maxCostUsd?: number;
    /** Ends the run; the call's signal ends it anyway. */
    readonly signal?: AbortSignal;
    onEvent?(event: NestedRunEvent): void;
}

export type NestedRunEvent =
    | { readonly type: "call"; readonly tool: string; readonly intent: string }
    | { readonly type: "cost"; readonly costUsd: number | null }
    /** A sentence for the user, such as why a request is sent again. */
    | { readonly type: "notice"; readonly text: string };

/** Whatever its end, a run resolves; it rejects only when the turn is cancelled. */
export interface NestedRun {
    /** The last answer. */
    readonly text: string;
    /** `end` if the model has answered, else what stopped it. */
    readonly stopReason: string;
    /** One sentence, where something failed. */
    readonly problem?: string;
    /** The error's stable code, where there is one. */
    readonly problemCode?: string;
    readonly calls: number;
    readonly usage: Required<Usage>;
    /** US dollars; `null` if a price is unknown. */
    readonly costUsd: number | null;
}

/** Runs the model for a tool; at most four runs at a time, the others wait. */
export interface NestedAgent {
    run(options: NestedRunOptions): Promise<NestedRun>;
}
