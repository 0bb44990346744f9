/** How far git looks for a NUL byte too. */
const BINARY_PROBE = 8_000;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/**
 * The bytes that a streamed text becomes in place of what is there: a byte order mark stays, and so
 * do the line endings. `undefined` where what is there is no text.
 */
export function contentInPlaceOf(existing: Uint8Array, text: string): Uint8Array | undefined {
    if (!isText(existing)) return undefined;
    const mark = hasByteOrderMark(existing) ? "\ufeff" : "";
    const body = text.startsWith("\ufeff") ? text.slice(1) : text;
    const lines = endsLinesWithCrLf(existing) ? body.replace(/(?<!\r)\n/g, "\r\n") : body;
    return new TextEncoder().encode(mark + lines);
}

function isText(bytes: Uint8Array): boolean {
    const isWide =
        (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
    return !isWide && !bytes.subarray(0, BINARY_PROBE).includes(0);
}

function hasByteOrderMark(bytes: Uint8Array): boolean {
    return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

/** By the first line: it is what an editor goes by. */
function endsLinesWithCrLf(bytes: Uint8Array): boolean {
    const end = bytes.indexOf(LINE_FEED);
    return end > 0 && bytes[end - 1] === CARRIAGE_RETURN;
}

export function isSameContent(one: Uint8Array, other: Uint8Array): boolean {
    return one.length === other.length && one.every((byte, index) => byte === other[index]);
}
