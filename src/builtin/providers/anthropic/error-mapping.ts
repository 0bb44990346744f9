import { isExpectedError, NorthError } from "../../../plugin/north-error.js";
import { retryAfterMs } from "../retry-after.js";

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

type Code =
    | "authentication"
    | "rate-limited"
    | "overloaded"
    | "server-error"
    | "timeout"
    | "context-overflow"
    | "invalid-request";

const CODE_BY_STATUS: Readonly<Record<number, Code>> = {
    401: "authentication",
    403: "authentication",
    408: "timeout",
    // A conflict with another request of the same moment.
    409: "server-error",
    413: "context-overflow",
    429: "rate-limited",
    503: "overloaded",
    529: "overloaded",
};

/** Errors inside a stream come after a status of 200 and have their type only. */
const CODE_BY_TYPE: Readonly<Record<string, Code>> = {
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

const RETRYABLE: ReadonlySet<Code> = new Set([
    "rate-limited",
    "overloaded",
    "server-error",
    "timeout",
]);

const SENTENCES: Readonly<Record<Code, string>> = {
    authentication: "Anthropic does not accept the key.",
    "rate-limited": "Anthropic's rate limit is reached.",
    overloaded: "Anthropic is overloaded.",
    "server-error": "Anthropic had an internal error.",
    timeout: "Anthropic took too long to answer.",
    "context-overflow": "The conversation is too long for the model.",
    "invalid-request": "Anthropic refused the request.",
};

const NEXT_STEPS: Readonly<Partial<Record<Code, readonly string[]>>> = {
    authentication: [
        "Set ANTHROPIC_API_KEY to a valid key.",
        "Or store one with `north login anthropic`.",
    ],
    "rate-limited": ["Wait a little and try again."],
    overloaded: ["Wait a little and try again, or choose another model with /model."],
    "context-overflow": ["Start a new conversation, or attach less."],
};

/** An expected failure for whatever the SDK threw while it sent a request or read a reply. */
export function toExpectedError(error: unknown, host: string): Error {
    const expected = expectedIn(error);
    if (expected !== undefined) return expected;
    if (!(error instanceof Error)) return networkError(host, error);
    const failure: VendorFailure = error;
    if (failure.name === "APIConnectionTimeoutError") {
        return toNorthError("timeout", failure);
    }
    const code = codeOf(failure);
    if (code !== undefined) return toNorthError(code, failure);
    if (error instanceof SyntaxError) {
        return new NorthError("incomplete-stream", "The reply could not be read.", [], {
            cause: error,
            retryable: true,
        });
    }
    return networkError(host, error);
}

/** A limit of our own that fired below the SDK, which wraps what its `fetch` throws. */
function expectedIn(error: unknown): Error | undefined {
    if (isExpectedError(error)) return error;
    return error instanceof Error && isExpectedError(error.cause) ? error.cause : undefined;
}

function codeOf({ status, type, apiMessage }: VendorFailure): Code | undefined {
    // The vendor has no code of its own for a prompt that does not fit, only these sentences.
    if (/prompt is too long|exceeds? (the )?context/i.test(apiMessage ?? "")) {
        return "context-overflow";
    }
    if (status === undefined) {
        return typeof type === "string" ? (CODE_BY_TYPE[type] ?? "server-error") : undefined;
    }
    return CODE_BY_STATUS[status] ?? (status >= 500 ? "server-error" : "invalid-request");
}

function toNorthError(code: Code, failure: VendorFailure): NorthError {
    const said = failure.apiMessage ?? undefined;
    const sentence = SENTENCES[code];
    const isKnownAway = failure.status === 404;
    return new NorthError(
        code,
        said === undefined ? sentence : `${sentence.replace(/\.$/, "")}: ${said}`,
        isKnownAway
            ? ["Choose another model with /model or --model.", "Check ANTHROPIC_BASE_URL if set."]
            : NEXT_STEPS[code],
        {
            cause: failure,
            // The vendor may know better, for example when a spending limit is reached.
            retryable: RETRYABLE.has(code) && failure.headers?.get("x-should-retry") !== "false",
            retryAfterMs: retryAfterMs(failure.headers),
        }
    );
}

function networkError(host: string, error: unknown): NorthError {
    const reason = systemCode(error);
    return new NorthError(
        "network",
        `The connection to ${host} failed${reason === undefined ? "" : ` (${reason})`}.`,
        ["Check the network connection.", "Check ANTHROPIC_BASE_URL if it is set."],
        { cause: error, retryable: true }
    );
}

/** `ECONNREFUSED` and the like, however deep it was wrapped. */
function systemCode(error: unknown): string | undefined {
    for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
        if ("code" in at && typeof at.code === "string") return at.code;
    }
    return undefined;
}
