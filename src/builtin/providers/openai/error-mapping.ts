import { fieldsIn, ownValue } from "../../../base/fields.js";
import {
    type FailureCode,
    failureOf,
    notStreamed,
    SPENT_ADVICE,
    toFailure,
    type Vendor,
    type VendorError,
} from "../../../provider-kit/failures.js";
import type { Server } from "../../../provider-kit/open-server.js";
import { isJsonObject } from "../../../provider-kit/tool-input.js";

// https://developers.openai.com/api/docs/guides/error-codes

export const OPENAI: Vendor = {
    name: "OpenAI",
    id: "openai",
    keyVariable: "OPENAI_API_KEY",
    baseURLVariable: "OPENAI_BASE_URL",
    baseURL: "https://api.openai.com/v1",
};

/** Codes and types are more specific than a status, and all there is inside a stream. */
const CODE_BY_NAME: Readonly<Record<string, FailureCode>> = {
    context_length_exceeded: "context-overflow",
    exceed_context_size_error: "context-overflow",
    request_too_large: "context-overflow",
    string_above_max_length: "invalid-request",
    insufficient_quota: "rate-limited",
    subscription_sharing_usage_limit_exceeded: "rate-limited",
    subscription_sharing_usage_unavailable: "overloaded",
    subscription_sharing_user_unavailable: "overloaded",
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

/** Codes inside a stream for content the vendor cannot read or refuses. */
const ABOUT_CONTENT = /image|_policy/;

/** Ollama, OpenRouter, vLLM and llama.cpp have no code for it; used only to add advice. */
const NO_TOOLS = /\btools?\b.*(?:not support|requires)|(?:not support|endpoints).*\btools?\b/i;
const TOOLS_ADVICE: readonly string[] = [
    "Choose a model that can call tools with /model, or start the server with its tools enabled.",
];

/** Retrying does not restore a spent budget, and a plan does not say when it is restored. */
const SPENT: Readonly<Record<string, readonly string[]>> = {
    insufficient_quota: SPENT_ADVICE,
    // https://developers.openai.com/siwc/token-sharing-open-source/errors-and-recovery
    subscription_sharing_usage_limit_exceeded: [
        "See your limits at https://chatgpt.com/settings/usage.",
        "Or choose another model with /model or --model.",
    ],
    subscription_sharing_user_not_eligible: [
        "OpenAI shares only Plus and Pro plans; sign in with such an account: `north login chatgpt`.",
        "Or use an API key: `north login openai`.",
    ],
};

/** The `error` of a response body or stream event: an object, or just a string. */
type ErrorBody = unknown;

export function toExpectedError(error: unknown, server: Server): Error {
    return failureOf(error, server, vendorErrorIn);
}

export function toBodyFailure(
    body: ErrorBody,
    vendor: Vendor,
    answer: Pick<VendorError, "status" | "headers"> = {}
): Error {
    return toFailure(toVendorError(body, answer), vendor, body);
}

/** Converts a JSON object in place of a stream: an error with status 200, or a whole reply. */
export function toUnstreamed(json: string, { vendor, host }: Server): Error {
    const body = fieldsIn(json);
    return body?.error === undefined ? notStreamed(host) : toBodyFailure(body.error, vendor);
}

/** The vendor's error fields (`code`, `param`, `message`); empty if there was no response. */
export function refusalIn(error: unknown): Readonly<Record<string, unknown>> {
    const cause = error instanceof Error ? error.cause : undefined;
    const fields: unknown = cause instanceof Error && "error" in cause ? cause.error : undefined;
    return isJsonObject(fields) ? fields : {};
}

function vendorErrorIn(
    error: Error & {
        readonly status?: number;
        readonly headers?: Headers;
        readonly error?: unknown;
    }
): VendorError | undefined {
    const { status, headers, error: body } = error;
    return status === undefined && body === undefined
        ? undefined
        : toVendorError(body, { status, headers });
}

function toVendorError(
    body: ErrorBody,
    { status, headers }: Pick<VendorError, "status" | "headers">
): VendorError {
    const { code, type }: { code?: unknown; type?: unknown } = isJsonObject(body) ? body : {};
    const said = saidIn(body);
    const spent = ownValue(SPENT, String(code)) ?? ownValue(SPENT, String(type));
    const known = status ?? numberIn(code);
    return {
        status: known,
        headers,
        said,
        code: nameOf(code) ?? nameOf(type),
        ...(spent ? { retryable: false, nextSteps: spent } : {}),
        ...((known ?? 400) < 500 && NO_TOOLS.test(said ?? "") ? { nextSteps: TOOLS_ADVICE } : {}),
    };
}

/** The vendor's message; for OpenRouter, the upstream vendor's, which is more specific. */
function saidIn(body: ErrorBody): string | undefined {
    if (!isJsonObject(body)) return typeof body === "string" ? body : undefined;
    const { message, metadata } = body;
    const raw = isJsonObject(metadata) ? metadata.raw : undefined;
    const said = typeof raw === "string" && raw !== "" ? sentenceIn(raw) : message;
    return typeof said === "string" ? said : undefined;
}

/** The message in a JSON error, or the text itself. */
function sentenceIn(raw: string): unknown {
    const body = fieldsIn(raw);
    const error = body?.error ?? body;
    return isJsonObject(error) && typeof error.message === "string" ? error.message : raw;
}

function nameOf(name: unknown): FailureCode | undefined {
    if (typeof name !== "string") return undefined;
    const code = ownValue(CODE_BY_NAME, name);
    return code ?? (ABOUT_CONTENT.test(name) ? "invalid-request" : undefined);
}

/** Some compatible servers put a status in `code`. */
function numberIn(code: unknown): number | undefined {
    const number = typeof code === "string" ? Number(code) : code;
    return typeof number === "number" && number >= 400 && number < 600 ? number : undefined;
}
