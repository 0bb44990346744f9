import {
    adviceOnStatus,
    codeOfStatus,
    expectedIn,
    type FailureCode,
    incompleteStream,
    networkFailure,
    toFailure,
    type Vendor,
} from "../../../provider-kit/failures.js";
import { retryAfterMs, shouldRetry } from "../../../provider-kit/retry-after.js";

// https://platform.claude.com/docs/en/api/errors

/** What the SDK's errors have; recognised by these fields, so that the SDK stays a late import. */
interface VendorFailure {
    readonly name: string;
    /** Absent where no answer came, and for an error inside a stream. */
    readonly status?: number;
    readonly headers?: Headers;
    /** `overloaded_error` and the like. */
    readonly type?: string | null;
    /** The vendor's sentence. */
    readonly apiMessage?: string | null;
    readonly message: string;
    readonly cause?: unknown;
}

/** Anthropic, as failures name it. */
export const ANTHROPIC: Vendor = {
    name: "Anthropic",
    id: "anthropic",
    keyVariable: "ANTHROPIC_API_KEY",
    baseURLVariable: "ANTHROPIC_BASE_URL",
};

/** Errors inside a stream come after a status of 200 and have their type only. */
const CODE_BY_TYPE: Readonly<Record<string, FailureCode>> = {
    authentication_error: "authentication",
    permission_error: "authentication",
    rate_limit_error: "rate-limited",
    overloaded_error: "overloaded",
    api_error: "server-error",
    timeout_error: "timeout",
    request_too_large: "context-overflow",
    invalid_request_error: "invalid-request",
    not_found_error: "invalid-request",
    billing_error: "invalid-request",
};

/** An expected failure for whatever the SDK threw while it sent a request or read a reply. */
export function toExpectedError(error: unknown, host: string): Error {
    const expected = expectedIn(error);
    if (expected !== undefined) return expected;
    if (!(error instanceof Error)) return networkFailure(host, error, ANTHROPIC);
    const failure: VendorFailure = error;
    if (failure.name === "APIConnectionTimeoutError") return toNorthError("timeout", failure);

    const code = codeOf(failure);
    if (code !== undefined) return toNorthError(code, failure);
    if (error instanceof SyntaxError) {
        return incompleteStream("The reply could not be read.", error);
    }

    return networkFailure(host, error, ANTHROPIC);
}

function codeOf({ status, type, apiMessage }: VendorFailure): FailureCode | undefined {
    // The vendor has no code of its own for a prompt that does not fit, only these sentences.
    if (/prompt is too long|exceeds? (the )?context/i.test(apiMessage ?? "")) {
        return "context-overflow";
    }

    if (status === undefined) {
        return typeof type === "string" ? (CODE_BY_TYPE[type] ?? "server-error") : undefined;
    }

    return codeOfStatus(status);
}

function toNorthError(code: FailureCode, failure: VendorFailure): Error {
    return toFailure(code, ANTHROPIC, {
        said: failure.apiMessage ?? undefined,
        cause: failure,
        // The vendor may know better, for example when a spending limit is reached.
        shouldRetry: shouldRetry(failure.headers),
        retryAfterMs: retryAfterMs(failure.headers),
        nextSteps: adviceOnStatus(failure.status, ANTHROPIC),
    });
}
