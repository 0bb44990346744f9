import { CODE_BY_TYPE } from "north-cli/messages-api";
import { plainText, SPENT_ADVICE, type Vendor, type VendorError } from "north-cli/provider-kit";
import { SIGN_IN, VERTEX } from "./vendor.js";
import type { ErrorStatus } from "./wire.js";

// https://ai.google.dev/gemini-api/docs/troubleshooting

const TOO_LONG = /token count.*exceeds/i;

/** Reads the vendor's error, from a response with a status or from inside a stream. */
export function toVendorError(
    { code, message, type, details = [] }: ErrorStatus,
    { id }: Vendor,
    status = code,
    headers?: Headers
): VendorError {
    const error = {
        ...{ status, said: message, ...(headers && { headers }) },
        ...(type !== undefined &&
            Object.hasOwn(CODE_BY_TYPE, type) && { code: CODE_BY_TYPE[type] }),
    };
    if (id === VERTEX.id && status !== undefined && status in ON_VERTEX) {
        return { ...error, nextSteps: ON_VERTEX[status] ?? [] };
    }
    if (details.some(({ reason }) => reason === "API_KEY_INVALID")) {
        return { ...error, status: 401 };
    }
    if (TOO_LONG.test(message ?? "")) return { ...error, code: "context-overflow" };
    if (status !== 429) return error;
    const quotas = details.flatMap(({ violations = [] }) => violations);
    // The delay then tells when to ask for the next minute's quota, which does not help.
    const isSpent = quotas.some(({ quotaId }) => quotaId?.includes("PerDay"));
    if (isSpent) return { ...error, retryable: false, nextSteps: [...RESET, ...SPENT_ADVICE] };
    const seconds = details.map(({ retryDelay = "" }) => Number.parseFloat(retryDelay));
    const delay = seconds.find(Number.isFinite);
    return delay === undefined ? error : { ...error, retryAfterMs: Math.ceil(delay * 1_000) };
}

const RESET = ["The day's quota is used up until midnight Pacific time: choose another model."];

/** What helps on Google Cloud, where a key of the Gemini API means nothing. */
const ON_VERTEX: Readonly<Record<number, readonly string[]>> = {
    401: SIGN_IN,
    403: [
        "Enable the Vertex AI API in your project, and give yourself the role Vertex AI User.",
        "Or choose another model with /model or --model.",
    ],
    404: [
        "Check GOOGLE_CLOUD_PROJECT, and GOOGLE_CLOUD_LOCATION: not every location serves every model.",
        "Or choose another model with /model or --model.",
    ],
};

/** The error in a response's body: the object itself, or the first of a list. */
export function errorIn(body: string): ErrorStatus {
    try {
        const parsed: unknown = JSON.parse(body);
        const { error } = (Array.isArray(parsed) ? parsed[0] : parsed) ?? {};
        return typeof error === "object" && error !== null ? error : {};
    } catch {
        const message = plainText(body);
        return message === undefined ? {} : { message };
    }
}
