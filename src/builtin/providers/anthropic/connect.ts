import type { RawMessageStreamEvent } from "@anthropic-ai/sdk/resources/messages/messages";
import type { ConnectionSettings, ModelConnection } from "../../../plugin/index.js";
import { BodyMemory } from "../../../provider-kit/growing-body.js";
import { notStreamed } from "../../../provider-kit/failures.js";
import { type Limits, NO_TIMEOUT } from "../../../provider-kit/limits.js";
import { openServer } from "../../../provider-kit/open-server.js";
import { connectBy } from "../connect-by.js";
import { withError } from "../error-body.js";
import { ANTHROPIC, toExpectedError } from "./error-mapping.js";
import { prepareMessages } from "./messages-api.js";

/** Connects through the vendor's SDK. Rejects with `no-api-key` or `invalid-request`. */
export async function connect(
    settings: ConnectionSettings,
    limits?: Limits
): Promise<ModelConnection> {
    const memory = new BodyMemory();
    return connectBy(await openClient(settings, limits), memory, {
        path: "/v1/messages",
        prepare: prepareMessages(memory),
        isLast: ({ type }: RawMessageStreamEvent) => type === "message_stop",
    });
}

// https://platform.claude.com/docs/en/api/models/list

/** Checks a key by listing the models, which is free. */
export async function checkKey(
    settings: ConnectionSettings,
    { signal }: { readonly signal: AbortSignal }
): Promise<void> {
    const { client, toFailure } = await openClient(settings);
    try {
        await client.get("/v1/models", { query: { limit: 1 }, signal });
    } catch (error) {
        signal.throwIfAborted();
        throw toFailure(error);
    }
}

async function openClient(settings: ConnectionSettings, limits?: Limits) {
    const server = openServer(settings, ANTHROPIC, limits);
    const { apiKey, baseURL, fetch } = server;
    // The base class can send both requests we need, and is smaller to load and bundle.
    const { BaseAnthropic } = await import("@anthropic-ai/sdk/client");
    class Client extends BaseAnthropic {
        protected override makeStatusError(
            status: number,
            body: object | undefined,
            text: string | undefined,
            headers: Headers
        ) {
            return super.makeStatusError(status, withError(body, text), text, headers);
        }
    }
    const client = new Client({
        // Always explicit: the SDK reads missing options from the environment.
        apiKey,
        baseURL,
        fetch,
        maxRetries: 0,
        timeout: NO_TIMEOUT,
        logLevel: "off",
        openTelemetry: false,
    });
    return {
        client,
        toFailure: (error: unknown) => toExpectedError(error, server),
        unstreamed: () => notStreamed(server.host),
    };
}
