import { Failure } from "./failure.js";

// https://docs.mistral.ai/resources/error-glossary

const KEY_STEPS = [
    "Set MISTRAL_API_KEY to a valid key.",
    "Or store one with `north login mistral`.",
];

/** A failure of the contract for whatever the SDK threw; the SDK's errors are told by their fields. */
export function toFailure(error: unknown, host: string): Error {
    if (error instanceof Failure || !(error instanceof Error)) {
        return error instanceof Failure ? error : unreachable(host, error);
    }
    if ("statusCode" in error && typeof error.statusCode === "number") {
        return ofStatus(error.statusCode, error);
    }
    if (/Validation|Syntax|Zod/.test(error.name)) {
        return new Failure("incomplete-stream", "The reply of Mistral could not be read.", {
            cause: error,
            retryable: true,
        });
    }
    return unreachable(host, error);
}

function ofStatus(status: number, error: Error): Failure {
    const said = messageIn("body" in error ? error.body : undefined);
    const headers = "headers" in error && error.headers instanceof Headers ? error.headers : null;
    const facts = { cause: error, ...retryAfter(headers) };
    const sentence = (text: string) => (said === undefined ? `${text}.` : `${text}: ${said}`);
    if (status === 401 || status === 403) {
        const text = sentence("Mistral does not accept the key");
        return new Failure("authentication", text, { ...facts, nextSteps: KEY_STEPS });
    }
    if (status === 413 || /too (large|long)|maximum context|exceeds? .*context/i.test(said ?? "")) {
        return new Failure("context-overflow", sentence("The conversation is too long"), facts);
    }
    const retryable = { ...facts, retryable: true };
    if (status === 408) return new Failure("timeout", sentence("Mistral took too long"), retryable);
    if (status === 429) {
        return new Failure("rate-limited", sentence("The rate limit is reached"), retryable);
    }
    if (status === 503)
        return new Failure("overloaded", sentence("Mistral is overloaded"), retryable);
    if (status >= 500) {
        return new Failure("server-error", sentence("Mistral had an internal error"), retryable);
    }
    return new Failure("invalid-request", sentence("Mistral refused the request"), facts);
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

function retryAfter(headers: Headers | null): { readonly retryAfterMs?: number } {
    const seconds = Number(headers?.get("retry-after") ?? Number.NaN);
    return Number.isFinite(seconds) && seconds >= 0 ? { retryAfterMs: seconds * 1_000 } : {};
}

function unreachable(host: string, cause: unknown): Failure {
    return new Failure("network", `The connection to ${host} failed.`, {
        cause,
        retryable: true,
        nextSteps: ["Check the network connection.", "Check MISTRAL_BASE_URL if it is set."],
    });
}
