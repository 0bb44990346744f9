import { NorthError } from "north-cli/plugin";
import {
    type FailureCode,
    failureOf,
    incompleteStream,
    type Server,
    type VendorError,
} from "north-cli/provider-kit";

// https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html#API_runtime_ConverseStream_Errors

/** The fields of the SDK's errors; duck-typed, so that the SDK can be imported lazily. */
interface SdkError extends Error {
    readonly $metadata?: { readonly httpStatusCode?: number };
    readonly $response?: { readonly headers?: Readonly<Record<string, string>> };
}

/** For exceptions inside a stream, which have no status of their own. */
const CODES: Readonly<Record<string, FailureCode>> = {
    AccessDeniedException: "authentication",
    InternalServerException: "server-error",
    ModelStreamErrorException: "server-error",
    ModelTimeoutException: "timeout",
    ServiceUnavailableException: "overloaded",
    ThrottlingException: "rate-limited",
    ValidationException: "invalid-request",
};

const TOO_LONG = /input is too long|too many input tokens/i;
const SPENT = /too many tokens per day/i;
const NEEDS_PROFILE = /on-demand throughput isn.t supported/i;
const STALE = /ExpiredToken|UnrecognizedClient|InvalidSignature|InvalidClientTokenId/;

const SIGN_IN = [
    "Sign in again, for example with `aws sso login`, or check AWS_PROFILE.",
    "Or set AWS_BEARER_TOKEN_BEDROCK to a Bedrock API key.",
];

export function toExpectedError(error: unknown, server: Server): Error {
    return failureOf(error, server, readError);
}

function readError(error: SdkError): VendorError | NorthError | undefined {
    const { name, message, $metadata, $response } = error;
    if (/Credentials|TokenProvider/.test(name)) {
        return new NorthError(
            "authentication",
            `There are no AWS credentials: ${message}`,
            SIGN_IN
        );
    }
    if (/region is missing/i.test(message)) {
        return new NorthError("invalid-request", "The AWS region is not known.", [
            "Set AWS_REGION, or `region` in ~/.aws/config.",
        ]);
    }
    const status = $metadata?.httpStatusCode;
    const code = Object.hasOwn(CODES, name) ? CODES[name] : undefined;
    const isInStream = status === undefined || status < 400;
    if (isInStream && code === undefined) {
        if (hasSystemCode(error) || hasSystemCode(error.cause)) return undefined;
        return incompleteStream("The reply could not be read.", error);
    }
    const read: VendorError = {
        said: message === "UnknownError" ? "" : message,
        ...(code && { code }),
        // The model's failure, not a mistake in the request.
        ...(isInStream || status === 424 ? { code: code ?? "server-error" } : { status }),
        headers: new Headers($response?.headers),
    };
    return { ...read, ...specialsOf(name, message, status) };
}

/** Such as `ECONNRESET`. */
function hasSystemCode(error: unknown): boolean {
    return error instanceof Error && "code" in error && typeof error.code === "string";
}

function specialsOf(name: string, message: string, status = 0): Partial<VendorError> {
    if (TOO_LONG.test(message)) return { code: "context-overflow" };
    if (SPENT.test(message)) {
        return { retryable: false, nextSteps: ["Choose another model with /model or --model."] };
    }
    if (NEEDS_PROFILE.test(message)) {
        const step =
            "Use an inference profile, such as `bedrock/global.MODEL` or `bedrock/us.MODEL`.";
        return { nextSteps: [step] };
    }
    if (STALE.test(name) || status === 401) return { status: 401, nextSteps: SIGN_IN };
    if (status !== 403) return {};
    return {
        nextSteps: [
            "Allow bedrock:InvokeModelWithResponseStream for this model, and request access to it in the Bedrock console.",
            "Or choose another model with /model or --model.",
        ],
    };
}
