import {
    failureOf,
    incompleteStream,
    notStreamed,
    plainText,
    type Server,
} from "north-cli/provider-kit";

// https://docs.mistral.ai/resources/error-glossary

/** The fields of the SDK's errors; duck-typed, so that the SDK can be imported lazily. */
interface SdkError extends Error {
    readonly statusCode?: number;
    readonly headers?: Headers;
    readonly body?: unknown;
}

/** Converts whatever the SDK threw while sending or reading to an expected error. */
export function toExpectedError(error: unknown, server: Server): Error {
    return failureOf(error, server, (failure: SdkError) => {
        const { statusCode: status, headers, body, name } = failure;
        if (status !== undefined && status >= 400) return { status, headers, said: saidIn(body) };
        if (/\bjson\b/i.test(headers?.get("content-type") ?? "")) return notStreamed(server.host);
        // A success status without a stream: a gateway's page.
        const isUnreadable = status !== undefined || /Validation|Syntax|Zod/.test(name);
        return isUnreadable
            ? incompleteStream("Mistral's reply could not be read.", failure)
            : undefined;
    });
}

/** The vendor's message: `message`, or `detail` of a validation error. */
function saidIn(body: unknown): string | undefined {
    if (typeof body !== "string") return undefined;
    try {
        const { message, detail } = JSON.parse(body) ?? {};
        const said: unknown = message ?? detail;
        return typeof said === "string" ? said : JSON.stringify(said)?.slice(0, 500);
    } catch {
        return plainText(body);
    }
}
