import type { ConnectionSettings } from "../../../plugin/index.js";
import type { Vendor } from "../../../provider-kit/failures.js";
import { type Limits, NO_TIMEOUT } from "../../../provider-kit/limits.js";
import { keyHeaders, openServer } from "../../../provider-kit/open-server.js";
import { withError } from "../error-body.js";
import { toExpectedError, toUnstreamed } from "./error-mapping.js";

/**
 * Loads the SDK for a server with one of OpenAI's protocols; sends no key if there is none.
 * `toFailure` converts the SDK's errors. Rejects with `no-api-key` or `invalid-request`.
 */
export async function openClient(settings: ConnectionSettings, vendor: Vendor, limits?: Limits) {
    const server = openServer(settings, vendor, limits);
    const { OpenAI } = await import("openai/client");
    class Client extends OpenAI {
        protected override makeStatusError(
            status: number,
            body: object | undefined,
            message: string | undefined,
            headers: Headers
        ) {
            return super.makeStatusError(status, withError(body, message), message, headers);
        }
    }
    const client = new Client({
        ...CREDENTIALS,
        // A null header is not sent.
        defaultHeaders: { authorization: null, ...keyHeaders(server) },
        baseURL: server.baseURL,
        fetch: server.fetch,
        maxRetries: 0,
        timeout: NO_TIMEOUT,
        logLevel: "off",
    });
    return {
        client,
        toFailure: (error: unknown) => toExpectedError(error, server),
        unstreamed: (json: string) => toUnstreamed(json, server),
    };
}

/** All explicit: the SDK reads missing options from the environment. It requires a key. */
const CREDENTIALS = {
    apiKey: "none",
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
};
