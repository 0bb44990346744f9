/** Growth factor: bodies grow with each request. */
const SPARE = 1.5;

/**
 * Reusable memory for request bodies. A body that starts with the same pieces as the previous one
 * copies only the rest. In a long conversation, a fresh allocation of close to a megabyte costs
 * more than the rest of sending it.
 */
export class BodyMemory {
    private memory: Buffer = Buffer.alloc(0);
    private pieces: readonly Buffer[] = [];
    private isLent = false;

    /** Joins the pieces. Until `giveBack`, other bodies get other memory. */
    join(pieces: readonly Buffer[]): Buffer {
        if (this.isLent) this.memory = Buffer.alloc(0);
        const same = this.memory.length === 0 ? 0 : countSame(pieces, this.pieces);
        const begin = lengthOf(pieces.slice(0, same));
        const rest = pieces.slice(same);
        const end = begin + lengthOf(rest);
        if (end > this.memory.length) {
            // Not pooled: the pool is shared with other buffers.
            const larger = Buffer.allocUnsafeSlow(Math.ceil(end * SPARE));
            this.memory.copy(larger, 0, 0, begin);
            this.memory = larger;
        }
        let at = begin;
        for (const piece of rest) {
            this.memory.set(piece, at);
            at += piece.length;
        }
        this.pieces = pieces;
        this.isLent = true;
        return this.memory.subarray(0, end);
    }

    /** Releases the body's memory; call it once the request has ended. */
    giveBack(body: Buffer): void {
        if (body.buffer === this.memory.buffer) this.isLent = false;
    }
}

function countSame(pieces: readonly Buffer[], before: readonly Buffer[]): number {
    const different = pieces.findIndex((piece, index) => piece !== before[index]);
    return different === -1 ? pieces.length : different;
}

function lengthOf(pieces: readonly Buffer[]): number {
    return pieces.reduce((sum, { length }) => sum + length, 0);
}

/** Encodes text outside the shared pool, where a few bytes would keep 8 KB alive. */
export function ownBytes(text: string): Buffer {
    const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
    bytes.write(text);
    return bytes;
}

/** Creates an encoder that returns the same buffer as long as the text stays the same. */
export function createTextBytes(): (text: string) => Buffer {
    let known = { text: "", bytes: Buffer.alloc(0) };
    return (text) => {
        if (text !== known.text) known = { text, bytes: Buffer.from(text) };
        return known.bytes;
    };
}
