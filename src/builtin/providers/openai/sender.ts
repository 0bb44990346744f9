import type { Stream } from "openai/core/streaming";
import type { ConnectionSettings } from "../../../plugin/index.js";
import { withByteLimits } from "../byte-limits.js";
import { toFailure, type Vendor } from "../failures.js";
import { createNodeHttpFetch } from "../node-http-fetch.js";
import { readToEnd } from "../read-to-end.js";
import { hostOf } from "../server-url.js";
import { toExpectedError } from "./error-mapping.js";

/** The limits of a request, in milliseconds; tests shorten them. */
export interface Limits {
    /** Until the answer begins. */
    readonly requestMs: number;
    /** Without a byte in the middle of the answer. */
    readonly silenceMs: number;
}

/** OpenAI and routers send a sign of life now and then while a model reasons in silence. */
export const LIMITS: Limits = { requestMs: 600_000, silenceMs: 60_000 };

/** One request that is answered by a stream of events. */
export interface Sending<Event> {
    /** Below the base URL: `/responses`. */
    readonly path: string;
    readonly body: Uint8Array;
    readonly signal: AbortSignal;
    /** Where the protocol has a last event, how to know it. */
    readonly isLast?: (event: Event) => boolean;
}

/** Sends a request and yields the events of the answer. Rejects as `ModelConnection.stream` does. */
export type Send = <Event>(sending: Sending<Event>) => AsyncGenerator<Event, void>;

/** A client of a server that speaks one of OpenAI's protocols; without a key it sends none. */
export async function createSender(
    settings: ConnectionSettings & { readonly baseURL: string },
    vendor: Vendor,
    limits: Limits = LIMITS
): Promise<Send> {
    const variable = vendor.baseURLVariable ?? "baseURL in config.json";
    const host = hostOf(
        settings.baseURL,
        `Set ${variable} to something like https://api.openai.com/v1, or unset it.`
    );
    const { OpenAI } = await import("openai/client");
    const { APIConnectionTimeoutError } = await import("openai/core/error");
    const client = new OpenAI({
        ...credentialsOf(settings.apiKey),
        baseURL: settings.baseURL,
        fetch: withByteLimits(settings.fetch ?? createNodeHttpFetch(), {
            firstByteMs: limits.requestMs,
            silenceMs: limits.silenceMs,
        }),
        maxRetries: 0,
        timeout: limits.requestMs,
        logLevel: "off",
    });
    return async function* send<Event>({ path, body, signal, isLast }: Sending<Event>) {
        try {
            const events = await client.post<Stream<Event>>(path, {
                // As it is: the SDK's own methods would serialise it again.
                body,
                headers: { "content-type": "application/json" },
                signal,
                stream: true,
            });
            yield* readToEnd(events, isLast ?? (() => false));
        } catch (error) {
            signal.throwIfAborted();
            if (error instanceof APIConnectionTimeoutError) {
                throw toFailure("timeout", vendor, { cause: error });
            }
            throw toExpectedError(error, host, vendor);
        }
        // The SDK ends an aborted stream as if it were complete.
        signal.throwIfAborted();
    };
}

/** All are given, because the SDK would look into the environment for what is absent. */
function credentialsOf(apiKey: string | undefined) {
    const others = { adminAPIKey: null, organization: null, project: null, webhookSecret: null };
    if (apiKey) return { apiKey, ...others };
    // It insists on a key; the header says that there is none.
    return { apiKey: "none", defaultHeaders: { authorization: null }, ...others };
}
