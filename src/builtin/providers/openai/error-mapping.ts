import {
    adviceOnStatus,
    codeOfStatus,
    expectedIn,
    type FailureCode,
    incompleteStream,
    networkFailure,
    SPENT_ADVICE,
    toFailure,
    type Vendor,
} from "../../../provider-kit/failures.js";
import { retryAfterMs, shouldRetry } from "../../../provider-kit/retry-after.js";
import { isJsonObject } from "../../../provider-kit/tool-input.js";

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

/** Codes inside a stream for what the vendor cannot read or will not answer. */
const ABOUT_CONTENT = /image|_policy/;

/** Servers without a code for a prompt that does not fit have a sentence like one of these. */
const TOO_LONG = /maximum context length|context (?:size|window|length)|prompt is too long/i;

/** Ollama, OpenRouter, vLLM and llama.cpp have no code for it either; only advice hangs on it. */
const NO_TOOLS = /\btools?\b.*(?:not support|requires)|(?:not support|endpoints).*\btools?\b/i;
const TOOLS_ADVICE: readonly string[] = [
    "Choose a model that can call tools with /model, or start the server with its tools enabled.",
];

/** A spent budget does not come back by waiting. */
const SPENT = "insufficient_quota";

/** An expected failure for whatever the SDK threw while it sent a request or read a reply. */
export function toExpectedError(error: unknown, host: string, vendor: Vendor): Error {
    const expected = expectedIn(error);
    if (expected !== undefined) return expected;
    if (error instanceof SyntaxError) {
        return incompleteStream("The reply could not be read.", error);
    }
    const failure = failureIn(error);
    return failure === undefined
        ? networkFailure(host, error, vendor)
        : toVendorFailure(failure, vendor, error);
}

/** The failure as the contract wants it. */
export function toVendorFailure(failure: VendorFailure, vendor: Vendor, cause: unknown): Error {
    const { headers, said } = failure;
    const isSpent = failure.code === SPENT || failure.type === SPENT;
    return toFailure(codeOf(failure), vendor, {
        said,
        cause,
        shouldRetry: isSpent ? false : shouldRetry(headers),
        retryAfterMs: retryAfterMs(headers),
        nextSteps: isSpent ? SPENT_ADVICE : adviceOn(failure, vendor),
    });
}

function adviceOn({ status = 400, said = "" }: VendorFailure, vendor: Vendor) {
    return status < 500 && NO_TOOLS.test(said) ? TOOLS_ADVICE : adviceOnStatus(status, vendor);
}

function codeOf({ status, code, type, said }: VendorFailure): FailureCode {
    const named = nameOf(code) ?? nameOf(type);
    const isBadRequest = (status ?? numberIn(code) ?? 400) < 500 && status !== 429;
    if (named === "context-overflow") return named;
    if (isBadRequest && TOO_LONG.test(said ?? "")) return "context-overflow";
    const known = status ?? numberIn(code);
    if (known === undefined) return named ?? "server-error";
    return codeOfStatus(known);
}

function nameOf(name: unknown): FailureCode | undefined {
    if (typeof name !== "string") return undefined;
    if (Object.hasOwn(CODE_BY_NAME, name)) return CODE_BY_NAME[name];
    return ABOUT_CONTENT.test(name) ? "invalid-request" : undefined;
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
