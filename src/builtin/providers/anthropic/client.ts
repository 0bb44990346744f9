import type { ConnectionSettings } from "../../../plugin/index.js";
import { type Limits, NO_TIMEOUT } from "../../../provider-kit/limits.js";
import { openServer } from "../../../provider-kit/open-server.js";
import { ANTHROPIC } from "./error-mapping.js";

/** The vendor's SDK, and the server it talks to. */
export type OpenClient = Awaited<ReturnType<typeof openClient>>;

/** Loads the vendor's SDK. Rejects with `no-api-key` or `invalid-request`. */
export async function openClient(settings: ConnectionSettings, limits?: Limits) {
    const server = openServer(settings, ANTHROPIC, limits);
    const { apiKey, baseURL, fetch } = server;
    // The base class is enough to send two kinds of request, and less to load and to bundle.
    const { BaseAnthropic } = await import("@anthropic-ai/sdk/client");
    const client = new BaseAnthropic({
        // Always given: the SDK would look into the environment for what is absent.
        apiKey,
        baseURL,
        fetch,
        maxRetries: 0,
        timeout: NO_TIMEOUT,
        logLevel: "off",
        openTelemetry: false,
    });
    return { client, server };
}
