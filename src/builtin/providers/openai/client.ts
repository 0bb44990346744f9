import type { ConnectionSettings } from "../../../plugin/index.js";
import { type Limits, LIMITS, withByteLimits } from "../../../provider-kit/byte-limits.js";
import { toFailure, type Vendor } from "../../../provider-kit/failures.js";
import { createNodeHttpFetch } from "../../../provider-kit/node-http-fetch.js";
import { hostOf } from "../../../provider-kit/server-url.js";
import { isJsonObject } from "../../../provider-kit/tool-input.js";
import { toExpectedError } from "./error-mapping.js";

export const DEFAULT_BASE_URL = "https://api.openai.com/v1";

/**
 * Loads the SDK for a server that speaks one of OpenAI's protocols; without a key it sends none.
 * `toFailure` makes a failure of the contract from what the SDK throws.
 */
export async function openClient(
    settings: ConnectionSettings & { readonly baseURL: string },
    vendor: Vendor,
    limits: Limits = LIMITS
) {
    const variable = vendor.baseURLVariable ?? "baseURL in config.json";
    const host = hostOf(
        settings.baseURL,
        `Set ${variable} to something like https://api.openai.com/v1, or unset it.`
    );
    const { OpenAI } = await import("openai/client");
    const { APIConnectionTimeoutError } = await import("openai/core/error");
    class Client extends OpenAI {
        protected override makeStatusError(
            status: number,
            body: object,
            message: string | undefined,
            headers: Headers
        ) {
            return super.makeStatusError(status, withError(body), message, headers);
        }
    }
    const client = new Client({
        ...credentialsOf(settings.apiKey),
        baseURL: settings.baseURL,
        fetch: withByteLimits(settings.fetch ?? createNodeHttpFetch(), limits),
        maxRetries: 0,
        timeout: limits.requestMs,
        logLevel: "off",
    });
    return {
        client,
        toFailure: (error: unknown): Error =>
            error instanceof APIConnectionTimeoutError
                ? toFailure("timeout", vendor, { cause: error })
                : toExpectedError(error, host, vendor),
    };
}

/** The SDK reads `error` of a body and drops the rest: vLLM and FastAPI have theirs at the top. */
function withError(body: object): object {
    if (!isJsonObject(body) || body.error !== undefined) return body;
    const { detail } = body;
    const message = body.message ?? (typeof detail === "string" ? detail : JSON.stringify(detail));
    return message === undefined ? body : { error: { ...body, message } };
}

/** All are given, because the SDK would look into the environment for what is absent. */
function credentialsOf(apiKey: string | undefined) {
    const others = { adminAPIKey: null, organization: null, project: null, webhookSecret: null };
    if (apiKey) return { apiKey, ...others };
    // It insists on a key; the header says that there is none.
    return { apiKey: "none", defaultHeaders: { authorization: null }, ...others };
}
