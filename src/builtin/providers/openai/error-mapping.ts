import {
    adviceOnUnknownModel,
    expectedIn,
    type FailureCode,
    incompleteStream,
    networkFailure,
    toFailure,
    type Vendor,
} from "../failures.js";
import { retryAfterMs } from "../retry-after.js";
import { isJsonObject } from "../tool-input.js";

// https://developers.openai.com/api/docs/guides/error-codes

/** OpenAI, as failures name it. */
export const OPENAI: Vendor = {
    name: "OpenAI",
    id: "openai",
    keyVariable: "OPENAI_API_KEY",
    baseURLVariable: "OPENAI_BASE_URL",
};

/** What is known of a failure, from an answer's status and body or from inside a stream. */
export interface VendorFailure {
    /** Absent inside a stream. */
    readonly status?: number;
    readonly headers?: Headers;
    /** `insufficient_quota` and the like; some compatible servers put a status here. */
    readonly code?: unknown;
    readonly type?: unknown;
    /** The vendor's sentence. */
    readonly said?: string;
}

const CODE_BY_STATUS: Readonly<Record<number, FailureCode>> = {
    401: "authentication",
    403: "authentication",
    408: "timeout",
    // A conflict with another request of the same moment.
    409: "server-error",
    413: "context-overflow",
    429: "rate-limited",
    503: "overloaded",
    504: "timeout",
    529: "overloaded",
};

/** Codes and types say more than a status, and inside a stream there is nothing else. */
const CODE_BY_NAME: Readonly<Record<string, FailureCode>> = {
    context_length_exceeded: "context-overflow",
    exceed_context_size_error: "context-overflow",
    request_too_large: "context-overflow",
    string_above_max_length: "invalid-request",
    insufficient_quota: "rate-limited",
    rate_limit_exceeded: "rate-limited",
    rate_limit_error: "rate-limited",
    requests: "rate-limited",
    tokens: "rate-limited",
    invalid_api_key: "authentication",
    authentication_error: "authentication",
    permission_error: "authentication",
    invalid_request_error: "invalid-request",
    invalid_prompt: "invalid-request",
    not_found_error: "invalid-request",
    model_not_found: "invalid-request",
    server_is_overloaded: "overloaded",
    slow_down: "overloaded",
    overloaded_error: "overloaded",
    unavailable_error: "overloaded",
    server_error: "server-error",
};

/** Servers without a code for a prompt that does not fit have a sentence like one of these. */
const TOO_LONG = /maximum context length|context (?:size|window|length)|prompt is too long/i;

/** A spent budget does not come back by waiting. */
const SPENT = "insufficient_quota";

/** An expected failure for whatever the SDK threw while it sent a request or read a reply. */
export function toExpectedError(error: unknown, host: string, vendor: Vendor): Error {
    const expected = expectedIn(error);
    if (expected !== undefined) return expected;
    if (error instanceof SyntaxError)
        return incompleteStream("The reply could not be read.", error);
    const failure = failureIn(error);
    return failure === undefined
        ? networkFailure(host, error, vendor)
        : toVendorFailure(failure, vendor, error);
}

/** The failure as the contract wants it. */
export function toVendorFailure(failure: VendorFailure, vendor: Vendor, cause: unknown): Error {
    const { status, headers, said } = failure;
    const isSpent = failure.code === SPENT || failure.type === SPENT;
    return toFailure(codeOf(failure), vendor, {
        said,
        cause,
        mayRetry: !isSpent && headers?.get("x-should-retry") !== "false",
        retryAfterMs: retryAfterMs(headers),
        ...(isSpent ? { nextSteps: ["Check the plan and the billing details of the key."] } : {}),
        ...(status === 404 ? { nextSteps: adviceOnUnknownModel(vendor) } : {}),
    });
}

function codeOf({ status, code, type, said }: VendorFailure): FailureCode {
    const named = nameOf(code) ?? nameOf(type);
    const isBadRequest = (status ?? numberIn(code) ?? 400) < 500 && status !== 429;
    if (named === "context-overflow") return named;
    if (isBadRequest && TOO_LONG.test(said ?? "")) return "context-overflow";
    const known = status ?? numberIn(code);
    if (known === undefined) return named ?? "server-error";
    return CODE_BY_STATUS[known] ?? (known >= 500 ? "server-error" : "invalid-request");
}

function nameOf(name: unknown): FailureCode | undefined {
    return typeof name === "string" && Object.hasOwn(CODE_BY_NAME, name)
        ? CODE_BY_NAME[name]
        : undefined;
}

function numberIn(code: unknown): number | undefined {
    const number = typeof code === "string" ? Number(code) : code;
    return typeof number === "number" && number >= 400 && number < 600 ? number : undefined;
}

/** What an error of the SDK says; `undefined` where no answer came. */
function failureIn(error: unknown): VendorFailure | undefined {
    if (!(error instanceof Error) || !("error" in error)) return undefined;
    const status = "status" in error && typeof error.status === "number" ? error.status : undefined;
    const headers =
        "headers" in error && error.headers instanceof Headers ? error.headers : undefined;
    const body: unknown = error.error;
    if (status === undefined && body === undefined) return undefined;
    if (typeof body === "string") return { status, headers, said: body };
    if (!isJsonObject(body)) return { status, headers };
    const { code, type, message } = body;
    return {
        status,
        headers,
        code,
        type,
        ...(typeof message === "string" ? { said: message } : {}),
    };
}
