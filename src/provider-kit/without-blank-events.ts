/** A blank line, in each kind of line ending. */
const END = /\n\r?\n|\r\r/;
const AFTER_END = /(?<=\n\r?\n|\r\r)/;
/** Bytes as Latin-1: a byte order mark may come first. */
const DATA = /^(?:\xef\xbb\xbf)?data:[ \t]*\S/m;

/**
 * Drops events without data, such as pings and `retry`, from event streams. The standard ignores
 * them; vendors' SDKs parse them as JSON and fail.
 * https://html.spec.whatwg.org/multipage/server-sent-events.html#dispatchMessage
 */
export function withoutBlankEvents(inner: typeof fetch): typeof fetch {
    return async (input, init) => {
        const response = await inner(input, init);
        const type = response.headers.get("content-type") ?? "";
        if (response.body === null || !/^text\/event-stream\b/i.test(type)) return response;
        return new Response(response.body.pipeThrough(blankEventFilter()), response);
    };
}

function blankEventFilter(): TransformStream<Uint8Array, Uint8Array> {
    /** The chunks of an unfinished event. */
    let parts: string[] = [];
    const bytes = (part: string) => Buffer.from(part, "latin1");
    return new TransformStream({
        transform(chunk, controller) {
            const part = Buffer.from(chunk).toString("latin1");
            const before = parts.slice(-2).map((each) => each.slice(-2));
            parts.push(part);
            // An event may take many chunks: do not search all of it again for each.
            if (!END.test([...before, part].join(""))) return;
            const events = parts.join("").split(AFTER_END);
            const rest = END.test(events.at(-1) ?? "") ? undefined : events.pop();
            parts = rest === undefined ? [] : [rest];
            const kept = events.filter((event) => DATA.test(event)).join("");
            if (kept !== "") controller.enqueue(bytes(kept));
        },
        flush: (controller) => controller.enqueue(bytes(parts.join(""))),
    });
}
