/**
 * A failure that North expects and can explain: a missing key, a path outside the repository, a
 * rate limit. Any error without the marker is a bug. Recognized by the marker, never by
 * `instanceof`, because packages may bundle separate copies of the class.
 */
export interface ExpectedError extends Error {
    /** Identifies an expected error across copies of the class. */
    readonly northError: true;
    /** Stable, kebab-case, for programs: `no-api-key`, `outside-repository`. */
    readonly code: string;
    /** Next steps for the user or the model, one sentence each; may be empty. */
    readonly nextSteps: readonly string[];
    /** Providers only: the same request may succeed if sent again. */
    readonly retryable?: boolean;
    /** Providers only: how long the vendor asked to wait, in milliseconds. */
    readonly retryAfterMs?: number;
}
