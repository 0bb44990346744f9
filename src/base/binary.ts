/** Share of bytes outside text above which a file is binary: programs and images have over 0.3. */
const MAX_SHARE = 0.2;

/** A script may end before what is binary in it. */
const [HASH, BANG] = [0x23, 0x21];

/**
 * Whether bytes are counted in a review instead of shown. Neither NULs nor, in UTF-8, other control
 * characters make a text binary, however many there are: shells and interpreters skip them, so they
 * must not hide what will run.
 */
export function isBinary(bytes: Uint8Array): boolean {
    if (!bytes.includes(0) || (bytes[0] === HASH && bytes[1] === BANG)) return false;
    let [all, others, invalid, visible] = [0, 0, 0, 0];
    for (let index = 0; index < bytes.length; index += 1) {
        const byte = bytes[index] ?? 0;
        if (byte === 0) continue;
        const length = byte < 0x80 ? 1 : sequenceLength(bytes, index);
        all += Math.max(1, length);
        if (length === 0) invalid += 1;
        if (length === 0 || isControl(byte)) others += 1;
        else if (byte > 0x20) visible += 1;
        index += Math.max(1, length) - 1;
    }
    return invalid > 0 ? others >= all * MAX_SHARE : visible === 0;
}

/** White space, and the escape of colours, are text. */
function isControl(byte: number): boolean {
    return (byte < 0x20 && !(byte >= 0x07 && byte <= 0x0d) && byte !== 0x1b) || byte === 0x7f;
}

/** Bytes of a character in UTF-8; 0 if it is none. */
function sequenceLength(bytes: Uint8Array, start: number): number {
    const lead = bytes[start] ?? 0;
    if (lead < 0xc2 || lead > 0xf4) return 0;
    const length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    for (let offset = 1; offset < length; offset += 1) {
        if (((bytes[start + offset] ?? 0) & 0xc0) !== 0x80) return 0;
    }
    return length;
}

/** The encoding of a text that begins with the byte order mark of UTF-16. */
export function wideEncoding(bytes: Uint8Array): "utf-16le" | "utf-16be" | undefined {
    if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
    return bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : undefined;
}

/** As far as git looks for a NUL byte. */
const PROBE_BYTES = 8000;

/** Whether git takes the bytes for text, and each of them means something by itself. */
export function isByteText(bytes: Uint8Array): boolean {
    return wideEncoding(bytes) === undefined && !bytes.subarray(0, PROBE_BYTES).includes(0);
}
