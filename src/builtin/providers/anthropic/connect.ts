import type { Stream } from "@anthropic-ai/sdk/core/streaming";
import type { RawMessageStreamEvent } from "@anthropic-ai/sdk/resources/messages/messages";
import type {
    ConnectionSettings,
    ModelConnection,
    ModelEvent,
    ModelRequest,
} from "../../../plugin/index.js";
import { BodyMemory } from "../../../provider-kit/body-memory.js";
import type { Limits } from "../../../provider-kit/limits.js";
import { readToEnd } from "../../../provider-kit/read-to-end.js";
import { openClient, type OpenClient } from "./client.js";
import { toExpectedError } from "./error-mapping.js";
import { toModelEvents } from "./reply-mapping.js";
import { createBodyBuilder } from "./request-body.js";

/** Connects through the vendor's SDK. Rejects with `no-api-key` or `invalid-request`. */
export async function connect(
    settings: ConnectionSettings,
    limits?: Limits
): Promise<ModelConnection> {
    const opened = await openClient(settings, limits);
    const memory = new BodyMemory();
    const buildBody = createBodyBuilder(memory);
    return {
        async *stream(request: ModelRequest, { signal }): AsyncGenerator<ModelEvent, void> {
            signal.throwIfAborted();
            const { bytes, fingerprint } = buildBody(request);
            try {
                yield* toModelEvents(receive(opened, bytes, signal), fingerprint);
            } finally {
                memory.giveBack(bytes);
            }
        },
    };
}

/**
 * Sends a body as it is. `client.messages.create` would serialise it again, and would announce
 * deprecated models on the screen.
 */
async function* receive(
    { client, server }: OpenClient,
    body: Uint8Array,
    signal: AbortSignal
): AsyncGenerator<RawMessageStreamEvent, void> {
    try {
        const events = await client.post<Stream<RawMessageStreamEvent>>("/v1/messages", {
            body,
            headers: { "content-type": "application/json" },
            signal,
            stream: true,
        });
        yield* readToEnd(events, ({ type }) => type === "message_stop");
    } catch (error) {
        signal.throwIfAborted();
        throw toExpectedError(error, server);
    }
    // The SDK ends an aborted stream as if it were complete.
    signal.throwIfAborted();
}
