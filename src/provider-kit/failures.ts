import { isExpectedError, NorthError } from "../base/north-error.js";

/** The codes of the contract that an answer of a vendor can mean. */
export type FailureCode =
    | "authentication"
    | "rate-limited"
    | "overloaded"
    | "server-error"
    | "timeout"
    | "context-overflow"
    | "invalid-request";

/** Who failed, and where the person can do something about it. */
export interface Vendor {
    readonly name: string;
    /** As `north login` knows it. */
    readonly id: string;
    readonly keyVariable?: string;
    readonly baseURLVariable?: string;
}

/** What is known of a failure. */
export interface FailureFacts {
    /** The vendor's own words. */
    readonly said?: string | undefined;
    readonly cause: unknown;
    /** Whether to try again, where the vendor knows better than its kind of failure tells. */
    readonly shouldRetry?: boolean | undefined;
    readonly retryAfterMs?: number | undefined;
    /** In place of the usual advice. */
    readonly nextSteps?: readonly string[] | undefined;
}

const RETRYABLE: ReadonlySet<FailureCode> = new Set([
    "rate-limited",
    "overloaded",
    "server-error",
    "timeout",
]);

/** What a status means, whoever sends it. */
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

/** Why a reply was refused, where only this is known. */
export const FILTERED = "a content filter cut it off";

const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|localhost|\[::1\])(?::|$)/;

/** The failure as the contract wants it: a code, a sentence with the vendor's words, and advice. */
export function toFailure(code: FailureCode, vendor: Vendor, facts: FailureFacts): NorthError {
    const { said, cause, shouldRetry = RETRYABLE.has(code), retryAfterMs } = facts;
    const sentence = sentenceOf(code, vendor);
    return new NorthError(
        code,
        said === undefined || said === "" ? sentence : `${sentence.replace(/\.$/, "")}: ${said}`,
        facts.nextSteps ?? adviceOn(code, vendor),
        { cause, retryable: shouldRetry, retryAfterMs }
    );
}

export function codeOfStatus(status: number): FailureCode {
    return CODE_BY_STATUS[status] ?? (status >= 500 ? "server-error" : "invalid-request");
}

function sentenceOf(code: FailureCode, { name }: Vendor): string {
    switch (code) {
        case "authentication":
            return `${name} does not accept the key.`;
        case "rate-limited":
            return `The rate limit of ${name} is reached.`;
        case "overloaded":
            return `${name} is overloaded.`;
        case "server-error":
            return `${name} had an internal error.`;
        case "timeout":
            return `${name} took too long to answer.`;
        case "context-overflow":
            return "The conversation is too long for the model.";
        case "invalid-request":
            return `${name} refused the request.`;
    }
}

function adviceOn(code: FailureCode, { id, keyVariable }: Vendor): readonly string[] {
    switch (code) {
        case "authentication":
            if (keyVariable === undefined) return ["Name the variable of its key in config.json."];
            return [
                `Set ${keyVariable} to a valid key.`,
                `Or store one with \`north login ${id}\`.`,
            ];
        case "rate-limited":
            return ["Wait a little and try again."];
        case "overloaded":
        case "server-error":
        case "timeout":
            return ["Wait a little and try again, or choose another model with /model."];
        case "context-overflow":
            return ["Start a new conversation, or attach less."];
        case "invalid-request":
            return [];
    }
}

export const SPENT_ADVICE: readonly string[] = [
    "Check the plan and the billing details of the key.",
];

/** What to do where a status tells more than its code: about the bill, the model or the path. */
export function adviceOnStatus(
    status: number | undefined,
    { baseURLVariable }: Vendor
): readonly string[] | undefined {
    if (status === 402) return SPENT_ADVICE;
    if (status !== 404) return undefined;
    const check = baseURLVariable ? [`Check ${baseURLVariable} if set.`] : [];
    return ["Choose another model with /model or --model.", ...check];
}

/** There is no key to connect with. */
export function noKey({ name, id, keyVariable }: Vendor): NorthError {
    return new NorthError("no-api-key", `There is no key for ${name}.`, [
        `Set ${keyVariable}.`,
        `Or store one with \`north login ${id}\`.`,
    ]);
}

/** No answer came, or not all of it. */
export function networkFailure(host: string, cause: unknown, { baseURLVariable }: Vendor) {
    const reason = systemCode(cause);
    const check = baseURLVariable ? [`Check ${baseURLVariable} if it is set.`] : [];
    const first = LOOPBACK.test(host)
        ? `Start the server that is to listen at ${host}.`
        : "Check the network connection.";
    return new NorthError(
        "network",
        `The connection to ${host} failed${reason === undefined ? "" : ` (${reason})`}.`,
        [first, ...check],
        { cause, retryable: true }
    );
}

/** The reply broke off, or cannot be read. */
export function incompleteStream(message: string, cause?: unknown): NorthError {
    return new NorthError("incomplete-stream", message, [], { cause, retryable: true });
}

/** A limit of our own that fired below an SDK, which wraps what its `fetch` throws. */
export function expectedIn(error: unknown): Error | undefined {
    if (isExpectedError(error)) return error;
    return error instanceof Error && isExpectedError(error.cause) ? error.cause : undefined;
}

/** `ECONNREFUSED` and the like, however deep it was wrapped. */
function systemCode(error: unknown): string | undefined {
    for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
        if ("code" in at && typeof at.code === "string") return at.code;
    }

    return undefined;
}
