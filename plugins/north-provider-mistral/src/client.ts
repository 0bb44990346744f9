import type { ConnectionSettings } from "north-cli/plugin";
import { Failure } from "./failure.js";
import { readingToTheEnd } from "./whole-body.js";

/**
 * The vendor's SDK, and the server it talks to, as failures name it. Rejects with `no-api-key` or
 * `invalid-request`.
 */
export async function openClient(settings: ConnectionSettings) {
    const { apiKey, baseURL = "https://api.mistral.ai" } = settings;
    if (!apiKey) {
        const nextSteps = ["Set MISTRAL_API_KEY, or run `north login mistral`."];
        throw new Failure("no-api-key", "There is no key for Mistral.", { nextSteps });
    }
    if (!URL.canParse(baseURL) || !/^https?:/.test(baseURL)) {
        const nextSteps = ["Set MISTRAL_BASE_URL to something like https://api.mistral.ai."];
        throw new Failure("invalid-request", `${baseURL} is not a URL of a server.`, { nextSteps });
    }
    const { MistralCore } = await import("@mistralai/mistralai/core.js");
    const { HTTPClient } = await import("@mistralai/mistralai/lib/http.js");
    const send = readingToTheEnd(settings.fetch ?? fetch);
    const client = new MistralCore({
        apiKey,
        // The SDK adds the version's folder itself.
        serverURL: baseURL.replace(/\/(v1\/?)?$/, ""),
        // North tries again, and shows that it does.
        retryConfig: { strategy: "none" },
        // Otherwise MISTRAL_DEBUG would print keys and prompts on the screen.
        debugLogger: { group() {}, groupEnd() {}, log() {} },
        httpClient: new HTTPClient({ fetcher: (input, init) => send(input, init) }),
    });
    return { client, host: new URL(baseURL).host };
}
