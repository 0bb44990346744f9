import {
    type FailureCode,
    failureOf,
    type Vendor,
    type VendorError,
} from "../../../provider-kit/failures.js";
import type { Server } from "../../../provider-kit/open-server.js";
import { ownValue } from "../../../base/fields.js";

// https://platform.claude.com/docs/en/api/errors

export const ANTHROPIC: Vendor = {
    name: "Anthropic",
    id: "anthropic",
    keyVariable: "ANTHROPIC_API_KEY",
    baseURLVariable: "ANTHROPIC_BASE_URL",
    baseURL: "https://api.anthropic.com",
};

/** The fields of the SDK's errors; duck-typed, so that the SDK can be imported lazily. */
interface SdkError extends Error {
    /** Absent if there was no response, and for errors inside a stream. */
    readonly status?: number;
    readonly headers?: Headers;
    /** For example `overloaded_error`. */
    readonly type?: unknown;
    readonly apiMessage?: unknown;
}

/** Errors inside a stream follow a status 200 and have only a type. */
export const CODE_BY_TYPE: Readonly<Record<string, FailureCode>> = {
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

export function toExpectedError(error: unknown, server: Server): Error {
    return failureOf(error, server, vendorErrorIn);
}

function vendorErrorIn({ status, headers, type, apiMessage }: SdkError): VendorError | undefined {
    // An event inside a stream comes with the headers of its response.
    if (status === undefined && headers === undefined) return undefined;
    const code = ownValue(CODE_BY_TYPE, String(type));
    const said = typeof apiMessage === "string" ? withMeaning(apiMessage) : "";
    return { status, headers, code, said };
}

/** Of a model that it does not serve, the vendor says no more than `model: ID`. */
function withMeaning(said: string): string {
    const [, id] = /^model: (\S+)$/.exec(said) ?? [];
    return id === undefined ? said : `there is no model ${id}`;
}
