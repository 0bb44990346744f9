import { Failure } from "./failure.js";
import { retryAfterMs } from "./retry-after.js";

// https://docs.mistral.ai/resources/error-glossary

/** A code of the contract, as it is told. */
interface Kind {
    readonly code: string;
    readonly sentence: string;
    readonly nextSteps?: readonly string[];
    readonly retryable?: boolean;
}

const AUTHENTICATION: Kind = {
    code: "authentication",
    sentence: "Mistral does not accept the key",
    nextSteps: ["Set MISTRAL_API_KEY to a valid key.", "Or store one with `north login mistral`."],
};
const TOO_LONG: Kind = {
    code: "context-overflow",
    sentence: "The conversation is too long for the model",
    nextSteps: ["Start a new conversation, or attach less."],
};
const LATER = ["Wait a little and try again, or choose another model with /model."];
const OVERLOADED: Kind = {
    code: "overloaded",
    sentence: "Mistral is overloaded",
    nextSteps: LATER,
    retryable: true,
};
const TIMEOUT: Kind = {
    code: "timeout",
    sentence: "Mistral took too long to answer",
    nextSteps: LATER,
    retryable: true,
};
const SERVER_ERROR: Kind = {
    code: "server-error",
    sentence: "Mistral had an internal error",
    nextSteps: LATER,
    retryable: true,
};
const REFUSED: Kind = { code: "invalid-request", sentence: "Mistral refused the request" };

const BY_STATUS: Readonly<Record<number, Kind>> = {
    401: AUTHENTICATION,
    403: AUTHENTICATION,
    404: {
        ...REFUSED,
        nextSteps: [
            "Choose another model with /model or --model.",
            "Check MISTRAL_BASE_URL if it is set.",
        ],
    },
    408: TIMEOUT,
    413: TOO_LONG,
    429: {
        code: "rate-limited",
        sentence: "The rate limit of Mistral is reached",
        nextSteps: ["Wait a little and try again."],
        retryable: true,
    },
    503: OVERLOADED,
    504: TIMEOUT,
    529: OVERLOADED,
};

/** The vendor has no code for a prompt that does not fit, only sentences like these. */
const SAYS_TOO_LONG = /too (?:large|long)|maximum context|exceeds? .*context/i;

/** A failure of the contract for whatever the SDK threw; the SDK's errors are told by their fields. */
export function toFailure(error: unknown, host: string): Error {
    if (error instanceof Failure) return error;
    if (!(error instanceof Error)) return unreachable(host, error);
    const status = "statusCode" in error ? error.statusCode : undefined;
    // A status of success with something else than a stream: the page of a gateway.
    if (typeof status === "number" && status >= 400) return ofStatus(status, error);
    if (typeof status === "number" || /Validation|Syntax|Zod/.test(error.name)) {
        const facts = { cause: error, retryable: true };
        return new Failure("incomplete-stream", "The reply of Mistral could not be read.", facts);
    }
    return unreachable(host, error);
}

function ofStatus(status: number, error: Error): Failure {
    const said = messageIn("body" in error ? error.body : undefined);
    const headers = "headers" in error && error.headers instanceof Headers ? error.headers : null;
    const { code, sentence, ...facts } = kindOf(status, said);
    const message = said === undefined ? `${sentence}.` : `${sentence}: ${said}`;
    return new Failure(code, message, {
        ...facts,
        cause: error,
        retryAfterMs: headers === null ? undefined : retryAfterMs(headers),
    });
}

function kindOf(status: number, said = ""): Kind {
    if (status < 429 && SAYS_TOO_LONG.test(said)) return TOO_LONG;
    return BY_STATUS[status] ?? (status >= 500 ? SERVER_ERROR : REFUSED);
}

/** The vendor's sentence: `message` of the body, or `detail` of a validation error. */
function messageIn(body: unknown): string | undefined {
    if (typeof body !== "string") return undefined;
    try {
        const { message, detail } = JSON.parse(body) ?? {};
        const said: unknown = message ?? detail;
        if (said === undefined) return undefined;
        return typeof said === "string" ? said : JSON.stringify(said).slice(0, 500);
    } catch {
        return undefined;
    }
}

function unreachable(host: string, cause: unknown): Failure {
    const reason = systemCode(cause);
    const why = reason === undefined ? "" : ` (${reason})`;
    return new Failure("network", `The connection to ${host} failed${why}.`, {
        cause,
        retryable: true,
        nextSteps: ["Check the network connection.", "Check MISTRAL_BASE_URL if it is set."],
    });
}

/** `ECONNREFUSED` and the like, however deep it was wrapped. */
function systemCode(error: unknown): string | undefined {
    for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
        if ("code" in at && typeof at.code === "string") return at.code;
    }

    return undefined;
}
