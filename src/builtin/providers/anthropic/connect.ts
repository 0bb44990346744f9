import type { Stream } from "@anthropic-ai/sdk/core/streaming";
import type { RawMessageStreamEvent } from "@anthropic-ai/sdk/resources/messages/messages";
import type {
    ConnectionSettings,
    ModelConnection,
    ModelEvent,
    ModelRequest,
} from "../../../plugin/index.js";
import { BodyMemory } from "../body-memory.js";
import { withByteLimits } from "../byte-limits.js";
import { noKey } from "../failures.js";
import { createNodeHttpFetch } from "../node-http-fetch.js";
import { hostOf } from "../server-url.js";
import { ANTHROPIC, toExpectedError } from "./error-mapping.js";
import { toModelEvents } from "./reply-mapping.js";
import { readToEnd } from "../read-to-end.js";
import { createBodyBuilder } from "./request-body.js";

const DEFAULT_BASE_URL = "https://api.anthropic.com";

/** The limits of a request, in milliseconds; tests shorten them. */
export interface Limits {
    /** Until the answer begins. */
    readonly requestMs: number;
    /** Without a byte in the middle of the answer. */
    readonly silenceMs: number;
}

const LIMITS: Limits = { requestMs: 600_000, silenceMs: 60_000 };

/** Connects through the vendor's SDK. Rejects with `no-api-key` or `invalid-request`. */
export async function connect(
    settings: ConnectionSettings,
    limits: Limits = LIMITS
): Promise<ModelConnection> {
    const { apiKey } = settings;
    if (!apiKey) throw noKey(ANTHROPIC);
    const baseURL = settings.baseURL || DEFAULT_BASE_URL;
    const host = hostOf(
        baseURL,
        "Set ANTHROPIC_BASE_URL to something like https://api.anthropic.com, or unset it."
    );
    const client = await createClient({ ...settings, apiKey, baseURL }, limits);
    const memory = new BodyMemory();
    const buildBody = createBodyBuilder(memory);
    return {
        async *stream(request: ModelRequest, { signal }): AsyncGenerator<ModelEvent, void> {
            signal.throwIfAborted();
            const { bytes, fingerprint } = buildBody(request);
            try {
                yield* toModelEvents(receive(client, bytes, signal, host), fingerprint);
            } finally {
                memory.giveBack(bytes);
            }
        },
    };
}

type Client = Awaited<ReturnType<typeof createClient>>;

async function createClient(
    settings: ConnectionSettings & { readonly apiKey: string; readonly baseURL: string },
    limits: Limits
) {
    // The base class is enough to send one kind of request, and less to load and to bundle.
    const { BaseAnthropic } = await import("@anthropic-ai/sdk/client");
    const fetch = settings.fetch ?? createNodeHttpFetch();
    return new BaseAnthropic({
        // Always given: the SDK would look into the environment for what is absent.
        apiKey: settings.apiKey,
        baseURL: settings.baseURL,
        fetch: withByteLimits(fetch, {
            firstByteMs: limits.requestMs,
            silenceMs: limits.silenceMs,
        }),
        maxRetries: 0,
        timeout: limits.requestMs,
        logLevel: "off",
        openTelemetry: false,
    });
}

/**
 * Sends a body as it is. `client.messages.create` would serialise it again, and would announce
 * deprecated models on the screen.
 */
async function* receive(
    client: Client,
    body: Uint8Array,
    signal: AbortSignal,
    host: string
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
        throw toExpectedError(error, host);
    }
    // The SDK ends an aborted stream as if it were complete.
    signal.throwIfAborted();
}
