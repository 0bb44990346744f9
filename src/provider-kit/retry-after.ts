/**
 * The requested delay in milliseconds: `retry-after-ms`, or `retry-after` in seconds or as a date.
 * https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/Retry-After
 */
export function retryAfterMs(headers: Headers | undefined, now = Date.now()): number | undefined {
    const milliseconds = numberIn(headers?.get("retry-after-ms"));
    if (milliseconds !== undefined) return milliseconds;
    const text = headers?.get("retry-after");
    const seconds = numberIn(text);
    if (seconds !== undefined) return Math.ceil(seconds * 1_000);
    const date = Date.parse(text ?? "");
    return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** `x-should-retry`, sent by Anthropic and OpenAI and obeyed by their SDKs. */
export function shouldRetry(headers: Headers | undefined): boolean | undefined {
    const said = headers?.get("x-should-retry");
    return said === "true" || said === "false" ? said === "true" : undefined;
}

function numberIn(text: string | null | undefined): number | undefined {
    if (text == null || text.trim() === "") return undefined;
    const value = Number(text);
    return Number.isFinite(value) && value >= 0 ? value : undefined;
}
