import type { ContextPart } from "./context.js";
import type { Usage, WebSearch, WebSearched } from "./provider.js";
import type { ToolResult, WriteData } from "./tool-result.js";

/** A model run outside the conversation, such as a sub-agent's. */
export interface NestedRunOptions {
    readonly prompt: string;
    /** System prompt; defaults to North's own for read-only runs. */
    readonly system?: string;
    /** Sent along as data with its origin, not as the user's words. */
    readonly context?: readonly ContextPart[];
    /**
     * All read-only tools (the default), or some of them, by North's names or by those of
     * `equivalents`. Commands run contained.
     */
    readonly tools?: "read-only" | readonly string[];
    /** Tools that the run does not get, by the same names. */
    readonly withoutTools?: readonly string[];
    /**
     * A model of the conversation's provider, or `inherit` for the conversation's own; defaults to
     * the configured or else a cheaper one.
     */
    readonly model?: string;
    /** Lets the model's vendor search the web; needs `NestedAgent.webSearch`, and no tools. */
    readonly webSearch?: WebSearch;
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
    /** As the provider's event; only with `webSearch`. */
    | WebSearched
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

/** A task for a run that may write. */
export interface DelegatedTask extends Omit<NestedRunOptions, "tools"> {
    /** For the model, the user and conflict markers: `task 1`. */
    readonly name: string;
    /** All tools (the default), or some of them. */
    readonly tools?: readonly string[];
}

/** Changes to the same place. Neither is lost: where possible, both are between conflict markers. */
export interface MergeConflict {
    readonly path: string;
    /** 1-based; absent if it concerns the whole file. */
    readonly line?: number;
    readonly sides: readonly {
        /** Who wrote it: names of tasks, or `the project`. */
        readonly by: string;
        readonly text: string;
    }[];
}

/** What became of delegated tasks. */
export interface Delegated {
    /** In the order of the tasks. */
    readonly runs: readonly NestedRun[];
    /** Whether their merged changes were written; absent if they changed nothing. */
    readonly written?: ToolResult<WriteData>;
    readonly conflicts: readonly MergeConflict[];
}

/** The vendor that would search the web for a run. */
export interface WebSearcher {
    /** The vendor's name: `Anthropic`. */
    readonly vendor: string;
    /** US dollars for one search; absent if unknown. */
    readonly priceUsd?: number;
}

/** Runs the model for a tool. At most four runs at a time; the rest wait. */
export interface NestedAgent {
    /** Absent unless the user allows web searches and the conversation's model supports them. */
    readonly webSearch?: WebSearcher;
    run(options: NestedRunOptions): Promise<NestedRun>;
    /**
     * Runs tasks in parallel, each in its own draft of the same files. North merges their changes,
     * including those of failed tasks, and has them reviewed once. Absent in ask mode. Rejects like
     * `run`.
     */
    delegate?(tasks: readonly DelegatedTask[]): Promise<Delegated>;
}
