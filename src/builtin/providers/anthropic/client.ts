import type { ConnectionSettings } from "../../../plugin/index.js";
import { type Limits, LIMITS, withByteLimits } from "../../../provider-kit/byte-limits.js";
import { noKey } from "../../../provider-kit/failures.js";
import { createNodeHttpFetch } from "../../../provider-kit/node-http-fetch.js";
import { hostOf } from "../../../provider-kit/server-url.js";
import { ANTHROPIC } from "./error-mapping.js";

const DEFAULT_BASE_URL = "https://api.anthropic.com";

/** The vendor's SDK, and the server it talks to, as failures name it. */
export type OpenClient = Awaited<ReturnType<typeof openClient>>;

/** Loads the vendor's SDK. Rejects with `no-api-key` or `invalid-request`. */
export async function openClient(settings: ConnectionSettings, limits: Limits = LIMITS) {
    const { apiKey, fetch = createNodeHttpFetch() } = settings;
    if (!apiKey) throw noKey(ANTHROPIC);
    const baseURL = settings.baseURL || DEFAULT_BASE_URL;
    const host = hostOf(
        baseURL,
        "Set ANTHROPIC_BASE_URL to something like https://api.anthropic.com, or unset it."
    );
    // The base class is enough to send two kinds of request, and less to load and to bundle.
    const { BaseAnthropic } = await import("@anthropic-ai/sdk/client");
    const client = new BaseAnthropic({
        // Always given: the SDK would look into the environment for what is absent.
        apiKey,
        baseURL,
        fetch: withByteLimits(fetch, limits),
        maxRetries: 0,
        timeout: limits.requestMs,
        logLevel: "off",
        openTelemetry: false,
    });
    return { client, host };
}
