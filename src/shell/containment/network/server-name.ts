/** https://www.rfc-editor.org/rfc/rfc8446#section-4.1.2 and rfc6066#section-3 */
const [HANDSHAKE, CLIENT_HELLO, SERVER_NAME, HOST_NAME] = [22, 1, 0, 0];
/** Hides the real server name behind another one. */
const ENCRYPTED_CLIENT_HELLO = 0xfe0d;

/** A hello with keys for new algorithms has a few KB. */
export const MAX_HELLO = 32 * 1024;

type HelloName =
    | { readonly kind: "name"; readonly name: string }
    /** More bytes are needed. */
    | { readonly kind: "incomplete" }
    /** No TLS, or a hello that does not say in clear where it leads. */
    | { readonly kind: "invalid"; readonly reason: string };

const INCOMPLETE: HelloName = { kind: "incomplete" };
const NO_TLS = invalid("it is not TLS");
const MALFORMED = invalid("its TLS hello is malformed");

/** Reads the server's name from the first bytes that a TLS client sends. */
export function serverNameIn(bytes: Buffer): HelloName {
    const records = handshakeIn(bytes);
    if (!Buffer.isBuffer(records)) return records;
    if (records.length > 0 && records[0] !== CLIENT_HELLO) return NO_TLS;
    if (records.length < 4) return INCOMPLETE;
    const length = records.readUIntBE(1, 3);
    if (length > MAX_HELLO) return MALFORMED;
    if (records.length < 4 + length) return INCOMPLETE;
    try {
        return nameInHello(new ByteReader(records.subarray(4, 4 + length)));
    } catch (error) {
        if (error instanceof RangeError) return MALFORMED;
        throw error;
    }
}

/** The handshake's bytes, which may be spread over several records. */
function handshakeIn(bytes: Buffer): Buffer | HelloName {
    const parts: Buffer[] = [];
    for (let at = 0; at < bytes.length;) {
        // Early data may follow the hello.
        if (bytes[at] !== HANDSHAKE && parts.length > 0) break;
        if (bytes[at] !== HANDSHAKE || (bytes[at + 1] ?? 3) !== 3) return NO_TLS;
        if (bytes.length < at + 5) break;
        const length = bytes.readUInt16BE(at + 3);
        if (length === 0 || length > 16_384) return MALFORMED;
        parts.push(bytes.subarray(at + 5, at + 5 + length));
        at += 5 + length;
    }
    return Buffer.concat(parts);
}

function nameInHello(hello: ByteReader): HelloName {
    hello.skip(2 + 32);
    hello.vector(1);
    hello.vector(2);
    hello.vector(1);
    const extensions = hello.isOver ? undefined : hello.vector(2);
    const names: string[] = [];
    while (extensions && !extensions.isOver) {
        const type = extensions.number(2);
        const content = extensions.vector(2);
        if (type === ENCRYPTED_CLIENT_HELLO) return invalid("its TLS hello is encrypted");
        if (type !== SERVER_NAME) continue;
        const list = content.vector(2);
        while (!list.isOver) {
            if (list.number(1) !== HOST_NAME) return MALFORMED;
            names.push(list.vector(2).text());
        }
    }
    const [name, ...others] = names;
    if (others.length > 0) return MALFORMED;
    return name === undefined ? invalid("its TLS hello names no server") : { kind: "name", name };
}

function invalid(reason: string): HelloName {
    return { kind: "invalid", reason };
}

/** Throws a `RangeError` beyond the end. */
class ByteReader {
    private at = 0;

    constructor(private readonly bytes: Buffer) {}

    get isOver(): boolean {
        return this.at >= this.bytes.length;
    }

    skip(count: number): void {
        this.at += count;
        if (this.at > this.bytes.length) throw new RangeError("beyond the end");
    }

    number(size: number): number {
        const value = this.bytes.readUIntBE(this.at, size);
        this.at += size;
        return value;
    }

    /** Bytes preceded by their length. */
    vector(size: number): ByteReader {
        const length = this.number(size);
        const start = this.at;
        this.skip(length);
        return new ByteReader(this.bytes.subarray(start, this.at));
    }

    text(): string {
        return this.bytes.toString("latin1");
    }
}
