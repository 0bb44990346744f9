import { isExpectedError, NorthError } from "../base/north-error.js";
import { ProxyError } from "./proxy.js";
import { retryAfterMs, shouldRetry } from "./retry-after.js";

/** Error codes of `ModelConnection.stream` that a vendor's response can map to. */
export type FailureCode =
    | "authentication"
    | "rate-limited"
    | "overloaded"
    | "server-error"
    | "timeout"
    | "context-overflow"
    | "invalid-request";

/** A vendor, as named in error messages. */
export interface Vendor {
    /** Display name: `OpenAI`. */
    readonly name: string;
    /** The provider's id, as `north login` takes it. */
    readonly id: string;
    /** The key's environment variable; absent if no key is needed. */
    readonly keyVariable?: string;
    /** The base URL's environment variable. */
    readonly baseURLVariable?: string;
    /** The default base URL. */
    readonly baseURL: string;
}

/** A vendor's error: a response with a status, or an event inside a stream. */
export interface VendorError {
    /** Absent for an error inside a stream. */
    readonly status?: number;
    readonly headers?: Headers;
    readonly said?: string;
    /** The meaning of the vendor's own code. Used inside a stream, and for `context-overflow`. */
    readonly code?: FailureCode;
    /** Defaults to `x-should-retry`, then to the code's usual value. */
    readonly retryable?: boolean;
    /** Defaults to the code's usual advice. */
    readonly nextSteps?: readonly string[];
}

const LATER = ["Wait a moment and try again, or choose another model with /model."];

interface Kind {
    readonly sentence: (name: string) => string;
    readonly advice?: readonly string[];
    readonly retryable: boolean;
}

const KINDS: Readonly<Record<FailureCode, Kind>> = {
    authentication: { sentence: (name) => `${name} does not accept the key`, retryable: false },
    "rate-limited": {
        sentence: (name) => `${name}'s rate limit is reached`,
        advice: ["Wait a moment and try again."],
        retryable: true,
    },
    overloaded: { sentence: (name) => `${name} is overloaded`, advice: LATER, retryable: true },
    "server-error": {
        sentence: (name) => `${name} had an internal error`,
        advice: LATER,
        retryable: true,
    },
    timeout: {
        sentence: (name) => `${name} took too long to answer`,
        advice: LATER,
        retryable: true,
    },
    "context-overflow": {
        sentence: () => "The conversation is too long for the model",
        advice: ["Start a new conversation, or attach less."],
        retryable: false,
    },
    "invalid-request": { sentence: (name) => `${name} refused the request`, retryable: false },
};

/** https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Status; 529 is Anthropic's. */
const CODE_BY_STATUS: Readonly<Record<number, FailureCode>> = {
    401: "authentication",
    403: "authentication",
    408: "timeout",
    // A conflict with a concurrent request.
    409: "server-error",
    413: "context-overflow",
    429: "rate-limited",
    503: "overloaded",
    504: "timeout",
    529: "overloaded",
};

/** Most vendors report a prompt that is too long only by a sentence like these. */
const TOO_LONG =
    /maximum context length|context (?:size|window|length)|exceeds? (?:the )?context|prompt is too long/i;

/** The `detail` of a reply stopped by a content filter. */
export const FILTERED = "a content filter cut it off";

/** The next step after a spent budget. */
export const SPENT_ADVICE: readonly string[] = [
    "Check the plan and the billing details of the key.",
];

const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|localhost|\[::1\])(?::|$)/;

/**
 * Maps a vendor's error to the contract's: a code, a sentence with the vendor's message, advice.
 */
export function toFailure(error: VendorError, vendor: Vendor, cause?: unknown): NorthError {
    const { headers, said, nextSteps } = error;
    const code = codeOf(error);
    const { sentence, retryable } = KINDS[code];
    return new NorthError(
        code,
        withDetail(sentence(vendor.name), said),
        nextSteps ?? adviceOn(code, error, vendor),
        {
            cause,
            retryable: error.retryable ?? shouldRetry(headers) ?? retryable,
            retryAfterMs: retryAfterMs(headers),
        }
    );
}

/** Many a vendor only says again that it is overloaded. */
function withDetail(sentence: string, said = ""): string {
    const detail = said.trim().replace(/\.$/, "");
    const isNew = detail !== "" && !sentence.endsWith(` ${detail.toLowerCase()}`);
    return `${isNew ? `${sentence}: ${detail}` : sentence}.`;
}

/**
 * Maps any error thrown by an SDK to the contract's. `read` extracts the vendor's error or returns
 * one of the contract; `undefined` means that no response arrived.
 */
export function failureOf(
    error: unknown,
    { vendor, host }: { readonly vendor: Vendor; readonly host: string },
    read: (error: Error) => VendorError | NorthError | undefined
): Error {
    if (isExpectedError(error)) return error;
    if (error instanceof Error) {
        // SDKs wrap errors of their `fetch`.
        if (isExpectedError(error.cause)) return error.cause;
        if (error instanceof SyntaxError) {
            return incompleteStream("The reply could not be read.", error);
        }
        const found = read(error);
        if (found instanceof NorthError) return found;
        if (found !== undefined) return toFailure(found, vendor, error);
    }
    return networkFailure(host, error, vendor);
}

/** `no-api-key`: no key to connect with. */
export function noKey({ name, id, keyVariable }: Vendor): NorthError {
    return new NorthError("no-api-key", `There is no API key for ${name}.`, [
        `Set ${keyVariable}.`,
        `Or store one with \`north login ${id}\`.`,
    ]);
}

/** `network`: the connection to `host` failed before the response was complete. */
export function networkFailure(
    host: string,
    cause: unknown,
    { baseURLVariable }: Vendor
): NorthError {
    const proxy = proxyErrorIn(cause);
    const reason = proxy?.status ?? systemCode(cause);
    const via = proxy === undefined ? host : `${host} through the proxy ${proxy.proxy}`;
    if (typeof reason === "string" && CERTIFICATE.test(reason)) return distrust(via, reason, cause);
    if (proxy !== undefined) return proxyFailure(via, reason, proxy);
    const first = LOOPBACK.test(host)
        ? `Is the server at ${host} running?`
        : "Check the network connection.";
    const isUnresolved = reason === "EAI_AGAIN" || reason === "ENOTFOUND";
    const what = isUnresolved
        ? `The address of ${host} could not be looked up`
        : `The connection to ${host} failed`;
    return new NorthError(
        "network",
        `${what}${reason === undefined ? "" : ` (${reason})`}.`,
        [first, ...checkOf(baseURLVariable)],
        { cause, retryable: true }
    );
}

function proxyFailure(
    via: string,
    reason: string | number | undefined,
    { status, cause }: ProxyError
): NorthError {
    const advice =
        status === 407
            ? "Set a user name and a password in HTTPS_PROXY: http://USER:PASSWORD@HOST:PORT."
            : "Check HTTPS_PROXY and HTTP_PROXY. NO_PROXY names hosts that need no proxy.";
    return new NorthError(
        "network",
        `The connection to ${via} failed${reason === undefined ? "" : ` (${reason})`}.`,
        [advice],
        // A gateway's error may pass; a refusal stays.
        { cause, retryable: status === undefined || status >= 500 }
    );
}

function proxyErrorIn(error: unknown): ProxyError | undefined {
    for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
        if (at instanceof ProxyError) return at;
    }

    return undefined;
}

/** https://nodejs.org/api/tls.html#x509-certificate-error-codes */
const CERTIFICATE = /CERT|CRL_|ISSUER|UNABLE_TO_VERIFY|INVALID_(?:CA|PURPOSE)|HOSTNAME_MISMATCH/;
const UNKNOWN_ISSUER = /ISSUER|SELF_SIGNED|UNABLE_TO_VERIFY|CERT_UNTRUSTED|INVALID_CA/;

/** A proxy that inspects traffic has a certificate authority of its own. */
function distrust(host: string, reason: string, cause: unknown): NorthError {
    const advice = UNKNOWN_ISSUER.test(reason)
        ? "If your network or server has its own certificate authority, set NODE_EXTRA_CA_CERTS to its PEM file."
        : "Check the server's certificate and this machine's clock.";
    const message = `The certificate of ${host} is not trusted (${reason}).`;
    return new NorthError("network", message, [advice], { cause, retryable: false });
}

/** `incomplete-stream`: the reply broke off or cannot be read. */
export function incompleteStream(
    message = "The reply ended before it was complete.",
    cause?: unknown
): NorthError {
    return new NorthError("incomplete-stream", message, [], { cause, retryable: true });
}

function codeOf({ status, said = "", code }: VendorError): FailureCode {
    if (code === "context-overflow") return code;
    if ((status ?? 400) < 429 && TOO_LONG.test(said)) return "context-overflow";
    if (status === undefined) return code ?? "server-error";
    return CODE_BY_STATUS[status] ?? (status >= 500 ? "server-error" : "invalid-request");
}

function adviceOn(code: FailureCode, { status }: VendorError, vendor: Vendor): readonly string[] {
    if (code === "authentication") return adviceOnKey(vendor);
    if (status === 402) return SPENT_ADVICE;
    if (status === 404) {
        return ["Choose another model with /model or --model.", ...checkOf(vendor.baseURLVariable)];
    }
    return KINDS[code].advice ?? [];
}

function adviceOnKey({ id, keyVariable }: Vendor): readonly string[] {
    if (keyVariable === undefined) return ["Name the variable of its key in config.json."];
    return [`Set ${keyVariable} to a valid key.`, `Or store one with \`north login ${id}\`.`];
}

function checkOf(variable: string | undefined): readonly string[] {
    return variable === undefined ? [] : [`Check ${variable} if it is set.`];
}

/** Finds `ECONNREFUSED` and the like, however deeply wrapped. */
function systemCode(error: unknown): string | undefined {
    for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
        if ("code" in at && typeof at.code === "string") return at.code;
    }

    return undefined;
}
