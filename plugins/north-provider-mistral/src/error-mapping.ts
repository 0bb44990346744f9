import { failureOf, incompleteStream, type Server } from "north-cli/provider-kit";

// https://docs.mistral.ai/resources/error-glossary

/** What the SDK's errors have; recognised by these fields, so that the SDK stays a late import. */
interface SdkError extends Error {
    readonly statusCode?: number;
    readonly headers?: Headers;
    readonly body?: unknown;
}

/** An expected failure for whatever the SDK threw while it sent a request or read a reply. */
export function toExpectedError(error: unknown, server: Server): Error {
    return failureOf(error, server, (failure: SdkError) => {
        const { statusCode: status, headers, body, name } = failure;
        if (status !== undefined && status >= 400) return { status, headers, said: saidIn(body) };
        // A status of success with something else than a stream: the page of a gateway.
        const isUnreadable = status !== undefined || /Validation|Syntax|Zod/.test(name);
        return isUnreadable
            ? incompleteStream("Mistral's reply could not be read.", failure)
            : undefined;
    });
}

/** The vendor's sentence: `message` of the body, or `detail` of a validation error. */
function saidIn(body: unknown): string | undefined {
    if (typeof body !== "string") return undefined;
    try {
        const { message, detail } = JSON.parse(body) ?? {};
        const said: unknown = message ?? detail;
        return typeof said === "string" ? said : JSON.stringify(said)?.slice(0, 500);
    } catch {
        return undefined;
    }
}
