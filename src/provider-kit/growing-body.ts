import type { Message, ModelInfo } from "../plugin/index.js";
import { type BodyMemory, createTextBytes, ownBytes } from "./body-memory.js";
import { toJson } from "./json-text.js";

/** A request body: settings, then an append-only list. */
export interface GrowingBody {
    /** Fields before the list. */
    readonly settings: object;
    /** List items that are not messages, such as a system prompt. */
    readonly leading?: readonly unknown[];
    readonly messages: readonly Message[];
    readonly model: ModelInfo;
}

const COMMA: Buffer = Buffer.from(",");
const END = Buffer.from("]}");

/**
 * Creates a function that joins request bodies; `list` is the name of the messages field. Maps and
 * serializes each message once per model, so a request always starts with the bytes of the previous
 * one. Omits messages without items. Give the bytes back to `memory` when the request has ended.
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
            const bytes = sent.get(message) ?? ownBytes(toItems(message, model).map(toJson).join());
            sent.set(message, bytes);
            items.push(bytes);
        }
        const kept = items.filter(({ length }) => length > 0);
        const pieces = kept.flatMap((bytes) => [COMMA, bytes]).slice(1);
        const head = headBytes(`${toJson(settings).slice(0, -1)},"${list}":[`);
        return memory.join([head, ...pieces, END]);
    };
}
