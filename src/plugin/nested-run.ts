import type { Usage } from "./provider.js";

/** A model run outside the conversation, such as a sub-agent's. */
export interface NestedRunOptions {
    readonly prompt: string;
    /** System prompt; defaults to North's own for read-only runs. */
    readonly system?: string;
    /** All read-only tools (the default), or some of them. Commands run contained. */
    readonly tools?: "read-only" | readonly string[];
    /** A model of the conversation's provider; defaults to the configured or else a cheaper one. */
    readonly model?: string;
    /** Max requests; defaults to 20. */
    readonly maxTurns?: number;
    /** Max US dollars. The conversation's own limits apply too. */
    readonly maxCostUsd?: number;
    /** Aborts the run; so does the call's own signal. */
    readonly signal?: AbortSignal;
    onEvent?(event: NestedRunEvent): void;
}

export type NestedRunEvent =
    | { readonly type: "call"; readonly tool: string; readonly intent: string }
    | { readonly type: "cost"; readonly costUsd: number | null }
    /** A sentence for the user, such as why a request is retried. */
    | { readonly type: "notice"; readonly text: string };

/** The outcome of a run. Failed runs resolve too; a run rejects only if the turn is cancelled. */
export interface NestedRun {
    /** The model's last answer. */
    readonly text: string;
    /** `end` if the model answered, else what stopped it. */
    readonly stopReason: string;
    /** One sentence, if something failed. */
    readonly problem?: string;
    /** The error's stable code, if any. */
    readonly problemCode?: string;
    readonly calls: number;
    readonly usage: Required<Usage>;
    /** US dollars; `null` if a price is unknown. */
    readonly costUsd: number | null;
}

/** Runs the model for a tool. At most four runs at a time; the rest wait. */
export interface NestedAgent {
    run(options: NestedRunOptions): Promise<NestedRun>;
}
