import type { Stream } from "openai/core/streaming";
import type { ConnectionSettings } from "../../../plugin/index.js";
import type { Vendor } from "../../../provider-kit/failures.js";
import type { Limits } from "../../../provider-kit/limits.js";
import { readToEnd } from "../../../provider-kit/read-to-end.js";
import { openClient } from "./client.js";

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

/** A sender to a server that speaks one of OpenAI's protocols; without a key it sends none. */
export async function createSender(
    settings: ConnectionSettings,
    vendor: Vendor,
    limits?: Limits
): Promise<Send> {
    const { client, toFailure } = await openClient(settings, vendor, limits);
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
            throw toFailure(error);
        }
        // The SDK ends an aborted stream as if it were complete.
        signal.throwIfAborted();
    };
}
