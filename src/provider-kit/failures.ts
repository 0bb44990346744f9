import { truncateMiddle } from "../base/format.js";
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
    /** The header that carries the key alone; by default it is a bearer token. */
    readonly keyHeader?: string;
}

/** A vendor's error: a response with a status, or an event inside a stream. */
export interface VendorError {
    /** Absent for an error inside a stream. */
    readonly status?: number;
    readonly headers?: Headers;
    /** The vendor's own message. */
    readonly said?: string;
    /**
     * Meaning of the vendor's own error code; used without a status, and for `context-overflow`.
     */
    readonly code?: FailureCode;
    /** Defaults to `x-should-retry`, then to the code's usual value. */
    readonly retryable?: boolean;
    /** The requested delay, if the body says it. Defaults to the headers'. */
    readonly retryAfterMs?: number;
    /** Defaults to the code's usual advice. */
    readonly nextSteps?: readonly string[];
}

const LATER = ["Wait a moment and try again, or choose another model with /model or --model."];

interface FailureKind {
    /** `NAME` stands for the vendor's name. */
    readonly sentence: string;
    readonly advice: readonly string[];
    readonly retryable: boolean;
}

const KINDS: Readonly<Record<FailureCode, FailureKind>> = {
    authentication: kind("NAME does not accept the key", false),
    "rate-limited": kind("NAME's rate limit is reached", true, LATER),
    overloaded: kind("NAME is overloaded", true, LATER),
    "server-error": kind("NAME had an internal error", true, LATER),
    timeout: kind("NAME took too long to answer", true, LATER),
    "context-overflow": kind("The conversation is too long for the model", false, [
        "Start a new conversation, or attach less.",
    ]),
    "invalid-request": kind("NAME refused the request", false),
};

function kind(sentence: string, retryable: boolean, advice: readonly string[] = []): FailureKind {
    return { sentence, retryable, advice };
}

/** The key is known: another one is not what helps first. */
const FORBIDDEN = kind("NAME denied access", false, [
    "Choose another model with /model or --model.",
    "Or use a key that has access.",
]);

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

/** Most vendors report an overlong prompt only in words like these. */
const TOO_LONG =
    /maximum context length|context (?:size|window|length)|exceeds? (?:the )?context|prompt is too long/i;

/** The `detail` of a reply stopped by a content filter. */
export const FILTERED = "a content filter cut it off";

/** The next step when the budget is spent. */
export const SPENT_ADVICE: readonly string[] = ["Check the key's plan and billing details."];

const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|localhost|\[::1\])(?::|$)/;

/** What a body says that is no JSON: a proxy's sentence; `undefined` for a page or nothing. */
export function plainText(body: string): string | undefined {
    return body.trim() === "" || /<[a-z!]/i.test(body) ? undefined : body;
}

/** Maps a vendor's error to the contract's: a code, a sentence with the vendor's words, advice. */
export function toFailure(error: VendorError, vendor: Vendor, cause?: unknown): NorthError {
    const { headers, said } = error;
    const code = codeOf(error);
    const { sentence, retryable } = error.status === 403 ? FORBIDDEN : KINDS[code];
    const message = withDetail(
        sentence.replace("NAME", () => vendor.name),
        said
    );
    return new NorthError(code, message, error.nextSteps ?? adviceOn(code, error, vendor), {
        cause,
        retryable: error.retryable ?? shouldRetry(headers) ?? retryable,
        retryAfterMs: error.retryAfterMs ?? retryAfterMs(headers),
    });
}

/** Some servers quote the whole request. */
const MAX_DETAIL = 1_000;

/** Some vendors' messages only repeat that they are overloaded. */
function withDetail(sentence: string, said = ""): string {
    const detail = truncateMiddle(said.trim().replace(/\.$/, ""), MAX_DETAIL);
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
        if (isMisread(error)) {
            return incompleteStream("The reply could not be read.", error);
        }
        const found = read(error);
        if (found instanceof NorthError) return found;
        if (found !== undefined) return toFailure(found, vendor, error);
    }
    return networkFailure(host, error, vendor);
}

/** Whether an answer is no JSON, or not of the expected form. A `fetch` names a cause or a code. */
function isMisread(error: Error): boolean {
    if (error instanceof SyntaxError) return true;
    return error instanceof TypeError && error.cause === undefined && !("code" in error);
}

/** `no-api-key`: there is no key to connect with. */
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
    const causes = causesOf(cause);
    const proxy = causes.find((error) => error instanceof ProxyError);
    const reason = proxy?.status ?? systemCode(causes);
    const via = proxy === undefined ? host : `${host} through the proxy ${proxy.proxy}`;
    if (typeof reason === "string" && CERTIFICATE.test(reason)) return distrust(via, reason, cause);
    if (proxy !== undefined) return proxyFailure(via, reason, proxy);
    const first = LOOPBACK.test(host)
        ? `Is the server at ${host} running?`
        : "Check the network connection.";
    const message =
        reason === "EAI_AGAIN" || reason === "ENOTFOUND"
            ? `The address of ${host} could not be looked up (${reason}).`
            : connectionFailed(host, reason);
    const nextSteps = [first, ...checkOf(baseURLVariable)];
    return new NorthError("network", message, nextSteps, { cause, retryable: true });
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
    // Gateway errors may be transient; a refusal is final.
    const retryable = status === undefined || status >= 500;
    return new NorthError("network", connectionFailed(via, reason), [advice], { cause, retryable });
}

function connectionFailed(via: string, reason: string | number | undefined): string {
    return `The connection to ${via} failed${reason === undefined ? "" : ` (${reason})`}.`;
}

/** https://nodejs.org/api/tls.html#x509-certificate-error-codes */
const CERTIFICATE = /CERT|CRL_|ISSUER|UNABLE_TO_VERIFY|INVALID_(?:CA|PURPOSE)|HOSTNAME_MISMATCH/;
const UNKNOWN_ISSUER = /ISSUER|SELF_SIGNED|UNABLE_TO_VERIFY|CERT_UNTRUSTED|INVALID_CA/;

/** A proxy that inspects traffic has its own certificate authority. */
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

/** `network`: something between North and the vendor answered in its place, with a page for people. */
export function webPage(host: string, vendor: Vendor): NorthError {
    return new NorthError(
        "network",
        `The server at ${host} answered with a web page instead of a model's reply.`,
        [checkAddress(vendor)]
    );
}

/** `network`: the server names another address, which must not get the key. */
export function redirected(host: string, target: string, vendor: Vendor): NorthError {
    const [place = ""] = target.split("?");
    return new NorthError(
        "network",
        `The server at ${host} redirects to ${truncateMiddle(place, 200)}; North follows no redirects.`,
        [checkAddress(vendor)]
    );
}

function checkAddress({ baseURLVariable = "`baseURL` in config.json" }: Vendor): string {
    return `Check ${baseURLVariable} and your proxy.`;
}

/** `invalid-request`: the server sent its whole reply at once. */
export function notStreamed(host: string): NorthError {
    return new NorthError(
        "invalid-request",
        `The server at ${host} does not stream: it sent its reply as one JSON object.`,
        ["Turn on streaming in the server, or in the proxy before it."]
    );
}

function codeOf({ status, said = "", code }: VendorError): FailureCode {
    if (code === "context-overflow") return code;
    if ((status ?? 400) < 429 && TOO_LONG.test(said)) return "context-overflow";
    if (status === undefined) return code ?? "server-error";
    return CODE_BY_STATUS[status] ?? (status >= 500 ? "server-error" : "invalid-request");
}

function adviceOn(code: FailureCode, { status }: VendorError, vendor: Vendor): readonly string[] {
    if (status === 403) return FORBIDDEN.advice;
    if (code === "authentication") return adviceOnKey(vendor);
    if (status === 402) return SPENT_ADVICE;
    if (status === 404) {
        return ["Choose another model with /model or --model.", ...checkOf(vendor.baseURLVariable)];
    }
    return KINDS[code].advice;
}

function adviceOnKey({ id, keyVariable }: Vendor): readonly string[] {
    if (keyVariable === undefined) return ["In config.json, name the variable that holds its key."];
    // A stored key does not count while the variable is set.
    return [`Set ${keyVariable} to a valid key, or unset it and run \`north login ${id}\`.`];
}

function checkOf(variable: string | undefined): readonly string[] {
    return variable === undefined ? [] : [`Check ${variable} if it is set.`];
}

function causesOf(error: unknown, depth = 5): readonly Error[] {
    return error instanceof Error && depth > 0 ? [error, ...causesOf(error.cause, depth - 1)] : [];
}

/** Such as `ECONNREFUSED`. */
function systemCode(errors: readonly Error[]): string | undefined {
    const codes = errors.map((error) => ("code" in error ? error.code : undefined));
    return codes.find((code) => typeof code === "string");
}
