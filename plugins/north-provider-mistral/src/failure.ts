import type { ExpectedError } from "north-cli/plugin";

/** What may be said of a failure beside its code and sentence. */
export interface FailureFacts {
    readonly nextSteps?: readonly string[];
    readonly cause?: unknown;
    readonly retryable?: boolean;
    readonly retryAfterMs?: number | undefined;
}

/** A failure with North's marker; nothing of North has to be installed for it. */
export class Failure extends Error implements ExpectedError {
    readonly northError = true;
    readonly nextSteps: readonly string[];
    readonly retryable: boolean;
    readonly retryAfterMs?: number;

    constructor(
        readonly code: string,
        message: string,
        { nextSteps = [], cause, retryable = false, retryAfterMs }: FailureFacts = {}
    ) {
        super(message, { cause });
        this.name = "Failure";
        this.nextSteps = nextSteps;
        this.retryable = retryable;
        if (retryAfterMs !== undefined) this.retryAfterMs = retryAfterMs;
    }
}
