import type { ExpectedError } from "./expected-error.js";

export interface NorthErrorOptions {
    readonly cause?: unknown;
    readonly retryable?: boolean;
    readonly retryAfterMs?: number;
}

/**
 * An expected failure: a code for programs, one sentence, and what to do next. A plugin bundles its
 * own copy, or throws any error with the marker.
 */
export class NorthError extends Error implements ExpectedError {
    readonly northError = true;
    readonly retryable?: boolean;
    readonly retryAfterMs?: number;

    constructor(
        readonly code: string,
        message: string,
        readonly nextSteps: readonly string[] = [],
        options: NorthErrorOptions = {}
    ) {
        super(message, { cause: options.cause });
        this.name = "NorthError";
        this.retryable = options.retryable;
        this.retryAfterMs = options.retryAfterMs;
    }
}

/** Recognizes an expected failure by its marker, whichever package threw it. */
export function isExpectedError(error: unknown): error is ExpectedError {
    return error instanceof Error && "northError" in error && error.northError === true;
}
