/**
 * A failure that North expects and can explain: a missing key, a path outside the repository, a
 * rate limit. Anything thrown that does not carry the marker is treated as a bug. Recognised by the
 * marker and never by `instanceof`, so that copies of a class in two packages do not matter.
 */
export interface ExpectedError extends Error {
    /** The marker. */
    readonly northError: true;
    /** Stable, kebab-case, for programs: `no-api-key`, `outside-repository`. */
    readonly code: string;
    /** What the person (or the model) can do next, one sentence each; may be empty. */
    readonly nextSteps: readonly string[];
    /** Providers only: the same request may succeed when it is sent again. */
    readonly retryable?: boolean;
    /** Providers only: how long the vendor asked to wait, in milliseconds. */
    readonly retryAfterMs?: number;
}
