/**
 * How long an answer asks to wait, in milliseconds: `retry-after-ms`, or `retry-after` in seconds
 * or as a date.
 * https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/Retry-After
 */
export function retryAfterMs(headers: Headers, now = Date.now()): number | undefined {
    const after = headers.get("retry-after");
    const [milliseconds, seconds] = [headers.get("retry-after-ms"), after].map(numberIn);
    if (milliseconds !== undefined) return milliseconds;
    if (seconds !== undefined) return Math.ceil(seconds * 1_000);
    const date = Date.parse(after ?? "");
    return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function numberIn(text: string | null): number | undefined {
    const value = text === null || text.trim() === "" ? Number.NaN : Number(text);
    return Number.isFinite(value) && value >= 0 ? value : undefined;
}
