import type { ChangeSet } from "./change-set.js";

export const SEVERITIES = ["error", "warning", "note"] as const;

/** `error`: wrong or unsafe; `warning`: wrong in some cases; `note`: worth knowing. */
export type Severity = (typeof SEVERITIES)[number];

/** A defect that a model found in a change. Texts are from the model: escape what you print. */
export interface ReviewFinding {
    /** Relative to the root. */
    readonly path: string;
    /** First and last line in the new version of the file, 1-based; the change shows both. */
    readonly line: number;
    readonly endLine: number;
    readonly severity: Severity;
    /** One line. */
    readonly title: string;
    readonly reason: string;
    /** What to write in place of these lines, without the last line break. */
    readonly suggestion?: string;
}

export interface ReviewOptions {
    readonly signal: AbortSignal;
    /** A patch to review instead of the repository's changes. */
    readonly patch?: string;
    /** Max US dollars. */
    readonly maxCostUsd?: number;
    /** What the model is doing, in a few words. */
    progress(text: string): void;
    /** A sentence for the user. */
    tell(text: string): void;
}

export interface Review {
    /** What was reviewed: `the uncommitted changes`. */
    readonly target: string;
    readonly files: number;
    readonly findings: readonly ReviewFinding[];
    /** The model's closing words; empty if it was not asked. */
    readonly summary: string;
    /** Why it is incomplete, one sentence. */
    readonly problem?: string;
    readonly model: string;
    /** US dollars; `null` if a price is unknown. */
    readonly costUsd: number | null;
}

/** A review of the session's project. */
export interface ProjectReview extends Review {
    /** `undefined` if no suggestion fits the current files. */
    suggestions(): Promise<PlannedSuggestions | undefined>;
}

/** The suggestions of a review as changes to the current files. */
export interface PlannedSuggestions {
    readonly changeSet: ChangeSet;
    /** Suggestions left out, because the file has changed or another one has the same lines. */
    readonly omitted: number;
    /** Rejects with `changed-since`, having written nothing. */
    apply(): Promise<void>;
}
