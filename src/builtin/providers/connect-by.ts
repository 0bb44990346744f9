import type { ModelConnection, ModelEvent, ModelRequest } from "../../plugin/index.js";
import type { BodyMemory } from "../../provider-kit/growing-body.js";
import { readToEnd } from "../../provider-kit/read-to-end.js";
import { receiveReply } from "../../provider-kit/receive-reply.js";
import { untilAccepted } from "../../provider-kit/until-accepted.js";

type RawResponse = Pick<Response, "headers" | "clone">;

/** A vendor's SDK client, and the mapping of its errors. */
interface OpenClient {
    readonly client: {
        post<Response>(
            path: string,
            options: {
                readonly body: Uint8Array;
                readonly headers: Readonly<Record<string, string>>;
                readonly signal: AbortSignal;
                readonly stream: true;
            }
        ): { withResponse(): Promise<{ readonly data: Response; readonly response: RawResponse }> };
    };
    readonly toFailure: (error: unknown) => Error;
    /** The failure that a JSON object in place of a stream stands for. */
    readonly unstreamed: (json: string) => Error;
}

interface Protocol<Event, Quirk> {
    /** Relative to the base URL: `/responses`. */
    readonly path: string;
    /** Builds the request's body and the mapping of its response events. */
    readonly prepare: (
        request: ModelRequest,
        quirks: ReadonlySet<Quirk>
    ) => {
        readonly body: Buffer;
        readonly toModelEvents: (events: AsyncIterable<Event>) => AsyncIterable<ModelEvent>;
    };
    /** Detects the last event, if the protocol has one. */
    readonly isLast?: (event: Event) => boolean;
    /** Returns the quirk an error reveals; it applies to all later requests. */
    readonly quirkIn?: (error: unknown) => Quirk | undefined;
}

/** Connects through a vendor's SDK; returns each body to `memory` once its request has ended. */
export function connectBy<Event, Quirk>(
    { client, toFailure, unstreamed }: OpenClient,
    memory: BodyMemory,
    { path, prepare, isLast = () => false, quirkIn = () => undefined }: Protocol<Event, Quirk>
): ModelConnection {
    const quirks = new Set<Quirk>();

    async function* send(body: Uint8Array, signal: AbortSignal): AsyncGenerator<Event, void> {
        const sent = client.post<AsyncIterable<Event>>(path, {
            // Raw bytes: the SDKs' own methods would serialize again, and Anthropic's would
            // print deprecation warnings to the screen.
            body,
            headers: { "content-type": "application/json" },
            signal,
            stream: true,
        });
        const { data: events, response } = await sent.withResponse();
        // Only once it has no events: some proxies call a stream JSON.
        const isJson = /\bjson\b/i.test(response.headers.get("content-type") ?? "");
        const whole = isJson ? response.clone() : undefined;
        let isEmpty = true;
        for await (const event of readToEnd(events, isLast)) {
            isEmpty = false;
            yield event;
        }
        if (isEmpty && whole) throw unstreamed(await whole.text());
    }

    return {
        async *stream(request, { signal }) {
            signal.throwIfAborted();
            const attempt = () => {
                const { body, toModelEvents } = prepare(request, quirks);
                const finish = () => memory.giveBack(body);
                const receive = () => toModelEvents(send(body, signal));
                return receiveReply(receive, { signal, toFailure, finish });
            };
            yield* untilAccepted(attempt, (error) => {
                const found = quirkIn(error);
                if (found === undefined || quirks.has(found)) return false;
                quirks.add(found);
                return true;
            });
        },
    };
}
