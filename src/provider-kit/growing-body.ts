import type { Message, ModelInfo } from "../plugin/index.js";
import { type CacheMark, endsWithText, marked } from "./cache-marks.js";
import { toJson } from "./json-text.js";

/** A request body: settings, then an append-only list. */
export interface GrowingBody {
    /** Fields before the list. */
    readonly settings: object;
    /** List items that are not messages, such as a system prompt. */
    readonly leading?: readonly unknown[];
    readonly messages: readonly Message[];
    readonly model: ModelInfo;
    /**
     * Marks the end of the request and of the previous one, which is before the newest reply, so
     * that the vendor reads one from its cache and writes the other. Messages end with parts.
     */
    readonly mark?: CacheMark | undefined;
}

const COMMA: Buffer = Buffer.from(",");
const END = Buffer.from("]}");

/**
 * Creates a function that joins request bodies; `list` is the name of the messages field. Maps and serializes
 * each message once per model, so a request always starts with the bytes of the previous one. Omits messages
 * without items. Return the bytes to `memory` when the request has ended.
 */
export function createBodyJoiner(
    list: string,
    toItems: (message: Message, model: ModelInfo) => readonly unknown[],
    memory: BodyMemory
): (body: GrowingBody) => Buffer<ArrayBuffer> {
    const sentByModel = new Map<string, WeakMap<Message, Buffer>>();
    const headBytes = createTextBytes();
    const leadingBytes = createTextBytes();
    return ({ settings, leading = [], messages, model, mark }) => {
        const sent = sentByModel.get(model.id) ?? new WeakMap<Message, Buffer>();
        sentByModel.set(model.id, sent);
        const items: Buffer[] = [leadingBytes(leading.map(toJson).join())];
        let previousEnd = -1;
        for (const message of messages) {
            const bytes = sent.get(message) ?? ownBytes(toItems(message, model).map(toJson).join());
            sent.set(message, bytes);
            if (bytes.length === 0) continue;
            if (message.role === "assistant") previousEnd = items.length - 1;
            items.push(bytes);
        }
        const ends = mark === undefined ? [] : [previousEnd, items.length - 1];
        const pieces = items.flatMap((bytes, index) => {
            if (bytes.length === 0) return [];
            const isMarked = mark && index > 0 && ends.includes(index) && endsWithText(bytes);
            return [COMMA, ...(isMarked ? marked(bytes, mark) : [bytes])];
        });
        const head = headBytes(`${toJson(settings).slice(0, -1)},"${list}":[`);
        return memory.join([head, ...pieces.slice(1), END]);
    };
}

/** Growth factor: bodies grow with each request. */
const SPARE = 1.5;

/**
 * Reusable memory for request bodies. A body that starts with the same pieces as the previous one
 * copies only the rest. In a long conversation, a fresh allocation of close to a megabyte costs
 * more than the rest of sending it.
 */
export class BodyMemory {
    private memory: Buffer<ArrayBuffer> = Buffer.alloc(0);
    private pieces: readonly Buffer[] = [];
    private isLent = false;

    /** Joins the pieces. Until `giveBack`, other bodies get other memory. */
    join(pieces: readonly Buffer[]): Buffer<ArrayBuffer> {
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
