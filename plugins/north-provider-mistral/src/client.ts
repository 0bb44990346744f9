import type { ConnectionSettings } from "north-cli/plugin";
import { type Limits, openServer } from "north-cli/provider-kit";
import { MISTRAL } from "./vendor.js";

/** Opens the vendor's SDK and its server. Rejects with `no-api-key` or `invalid-request`. */
export async function openClient(settings: ConnectionSettings, limits?: Limits) {
    const server = openServer(settings, MISTRAL, limits);
    const { MistralCore } = await import("@mistralai/mistralai/core.js");
    const { HTTPClient } = await import("@mistralai/mistralai/lib/http.js");
    const client = new MistralCore({
        apiKey: server.apiKey,
        // The SDK appends the version itself.
        serverURL: server.baseURL.replace(/\/v1$/, ""),
        // North retries itself, visibly.
        retryConfig: { strategy: "none" },
        // Otherwise MISTRAL_DEBUG would print keys and prompts to the screen.
        debugLogger: { group() {}, groupEnd() {}, log() {} },
        httpClient: new HTTPClient({ fetcher: server.fetch }),
    });
    return { client, server };
}
