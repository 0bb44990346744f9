import type { ConnectionSettings } from "../../../plugin/index.js";
import type { Vendor } from "../../../provider-kit/failures.js";
import { type Limits, NO_TIMEOUT } from "../../../provider-kit/limits.js";
import { openServer } from "../../../provider-kit/open-server.js";
import { isJsonObject } from "../../../provider-kit/tool-input.js";
import { toExpectedError } from "./error-mapping.js";

/**
 * Loads the SDK for a server that speaks one of OpenAI's protocols; without a key it sends none.
 * `toFailure` makes a failure of the contract from what the SDK throws. Rejects with `no-api-key`
 * or `invalid-request`.
 */
export async function openClient(settings: ConnectionSettings, vendor: Vendor, limits?: Limits) {
    const server = openServer(settings, vendor, limits);
    const { OpenAI } = await import("openai/client");
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
        ...credentialsOf(server.apiKey),
        baseURL: server.baseURL,
        fetch: server.fetch,
        maxRetries: 0,
        timeout: NO_TIMEOUT,
        logLevel: "off",
    });
    return { client, toFailure: (error: unknown) => toExpectedError(error, server) };
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
