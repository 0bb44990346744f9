import type { Message, ModelInfo } from "../plugin/index.js";
import { type BodyMemory, createTextBytes } from "./body-memory.js";
import { toJson } from "./json-text.js";

/** A request body: settings, then a list that only ever grows. */
export interface GrowingBody {
    /** The fields before the list. */
    readonly settings: object;
    /** The list's items that are no messages of the conversation, such as a system prompt. */
    readonly leading?: readonly unknown[];
    readonly messages: readonly Message[];
    readonly model: ModelInfo;
}

const COMMA: Buffer = Buffer.from(",");
const END = Buffer.from("]}");

/**
 * Creates a function that joins request bodies; `list` names the field of the messages. Each message
 * is mapped to the vendor's items and these to bytes once for each model, so that nothing that was
 * sent is serialised again and a request is the one before and then some. A message without items
 * is left out. Give the bytes back to `memory` when the request has ended.
 */
export function createBodyJoiner(
    list: string,
    toItems: (message: Message, model: ModelInfo) => readonly unknown[],
    memory: BodyMemory
): (body: GrowingBody) => Buffer {
    const sentByModel = new Map<string, WeakMap<Message, Buffer>>();
    const headBytes = createTextBytes();
    const leadingBytes = createTextBytes();
    return ({ settings, leading = [], messages, model }) => {
        const sent = sentByModel.get(model.id) ?? new WeakMap<Message, Buffer>();
        sentByModel.set(model.id, sent);
        const items: Buffer[] = [leadingBytes(leading.map(toJson).join())];
        for (const message of messages) {
            const bytes = sent.get(message) ?? toBytes(toItems(message, model));
            sent.set(message, bytes);
            items.push(bytes);
        }
        const kept = items.filter(({ length }) => length > 0);
        const pieces = kept.flatMap((bytes) => [COMMA, bytes]).slice(1);
        const head = headBytes(`${toJson(settings).slice(0, -1)},"${list}":[`);
        return memory.join([head, ...pieces, END]);
    };
}

function toBytes(items: readonly unknown[]): Buffer {
    return Buffer.from(items.map(toJson).join());
}
