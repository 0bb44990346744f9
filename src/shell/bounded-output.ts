const MAX_BYTES = 1_000_000;
/** Reserved for the line that counts omitted bytes. */
const NOTE_BYTES = 100;

/** Keeps the head and tail of a byte stream, each up to half the limit, in bounded memory. */
export class BoundedOutput {
    private readonly half: number;
    private head: Buffer | undefined;
    private headLength = 0;
    private ring: Buffer | undefined;
    /** Bytes received after the head was full. */
    private afterHead = 0;

    constructor(maxBytes = MAX_BYTES) {
        this.half = Math.floor((maxBytes - NOTE_BYTES) / 2);
    }

    get truncated(): boolean {
        return this.afterHead > this.half;
    }

    push(bytes: Uint8Array): void {
        const forHead = Math.min(bytes.length, this.half - this.headLength);
        if (forHead > 0) this.appendToHead(bytes.subarray(0, forHead));
        if (forHead < bytes.length) this.appendToRing(bytes.subarray(forHead));
    }

    /** Invalid UTF-8 becomes U+FFFD; partial characters at the cut are dropped. */
    text(): string {
        const head = this.head?.subarray(0, this.headLength) ?? Buffer.alloc(0);
        const tail = this.tail();
        if (!this.truncated) return decode(Buffer.concat([head, tail]));
        const headEnd = wholeCharactersEnd(head);
        const tailStart = wholeCharactersStart(tail);
        const kept = headEnd + tail.length - tailStart;
        const leftOut = this.headLength + this.afterHead - kept;
        return [
            decode(head.subarray(0, headEnd)),
            `[... ${leftOut} bytes left out ...]`,
            decode(tail.subarray(tailStart)),
        ].join("\n");
    }

    private appendToHead(bytes: Uint8Array): void {
        this.head ??= Buffer.alloc(this.half);
        this.head.set(bytes, this.headLength);
        this.headLength += bytes.length;
    }

    private appendToRing(bytes: Uint8Array): void {
        this.ring ??= Buffer.alloc(this.half);
        const skipped = Math.max(0, bytes.length - this.half);
        this.afterHead += skipped;
        let rest = bytes.subarray(skipped);
        while (rest.length > 0) {
            const position = this.afterHead % this.half;
            const piece = rest.subarray(0, this.half - position);
            this.ring.set(piece, position);
            this.afterHead += piece.length;
            rest = rest.subarray(piece.length);
        }
    }

    private tail(): Buffer {
        if (!this.ring) return Buffer.alloc(0);
        if (!this.truncated) return this.ring.subarray(0, this.afterHead);
        const position = this.afterHead % this.half;
        return Buffer.concat([this.ring.subarray(position), this.ring.subarray(0, position)]);
    }
}

function decode(bytes: Uint8Array): string {
    // Keep a byte order mark that the command printed.
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

function isContinuation(byte: number | undefined): boolean {
    return byte !== undefined && (byte & 0xc0) === 0x80;
}

function wholeCharactersEnd(bytes: Buffer): number {
    for (let back = 1; back <= Math.min(4, bytes.length); back++) {
        const byte = bytes[bytes.length - back] ?? 0;
        if (isContinuation(byte)) continue;
        const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
        return length > back ? bytes.length - back : bytes.length;
    }
    return bytes.length;
}

function wholeCharactersStart(bytes: Buffer): number {
    let start = 0;
    while (start < 3 && isContinuation(bytes[start])) start++;
    return start;
}
