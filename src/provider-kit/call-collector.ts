import { randomBytes } from "node:crypto";
import type { Message, ModelEvent } from "../plugin/index.js";
import { parseInput } from "./tool-input.js";

/** A streamed piece of a call in chat completions. Any field may be missing or `null`. */
export interface CallPiece {
    readonly index?: number | null;
    readonly id?: string | null;
    readonly function?: {
        readonly name?: string | null;
        /** Text to append; some servers send the object itself. */
        readonly arguments?: unknown;
    } | null;
}

interface Call {
    readonly serverId: string | undefined;
    readonly index: number | undefined;
    readonly callId: string;
    readonly name: string;
    json: string;
}

/**
 * Assembles streamed calls of chat completions: in pieces or whole, with an index, an id, both or
 * neither, and arguments as text or as an object. Ids of calls in `messages` are never reused.
 */
export class CallCollector {
    private readonly calls: Call[] = [];
    private taken: Set<string> | undefined;

    constructor(private readonly messages: readonly Message[]) {}

    get isEmpty(): boolean {
        return this.calls.length === 0;
    }

    /** Adds a piece; returns an event if it starts a call. */
    add(piece: CallPiece): ModelEvent[] {
        const name = piece.function?.name ?? "";
        const json = textOf(piece.function?.arguments);
        const known = this.continued(piece, name, json);
        if (known !== undefined) {
            known.json += json;
            return [];
        }
        // A call without a name can be neither shown nor run.
        if (name === "") return [];
        const serverId = piece.id || undefined;
        const callId = this.freeId(serverId);
        this.calls.push({ serverId, index: piece.index ?? undefined, callId, name, json });
        return [{ type: "tool-call-start", callId, name }];
    }

    /** Returns all collected calls as `tool-call` events. */
    finished(): ModelEvent[] {
        return this.calls.map(({ callId, name, json }) => ({
            type: "tool-call",
            callId,
            name,
            ...parseInput(json),
        }));
    }

    /** The call that a piece continues; `undefined` if it starts a new one. */
    private continued({ index, id }: CallPiece, name: string, json: string): Call | undefined {
        const known = this.calls.findLast((call) => {
            if (index != null && call.index !== undefined) return call.index === index;
            return id ? call.serverId === id : true;
        });
        if (known === undefined) return undefined;
        // Some servers give every call the same index.
        if (id && known.serverId !== undefined && id !== known.serverId) return undefined;
        if (id && id === known.serverId) return known;
        // Others repeat the name in every piece: it starts a new call only after a complete one.
        const isAnother =
            name !== "" && (name !== known.name || (json !== "" && isWhole(known.json)));
        return isAnother ? undefined : known;
    }

    /** Ids must be unique in a conversation, but some servers restart at zero in every reply. */
    private freeId(wanted: string | undefined): string {
        this.taken ??= new Set(
            this.messages.flatMap(({ content }) =>
                content.flatMap((part) => (part.type === "tool-call" ? [part.callId] : []))
            )
        );
        const isFree = wanted !== undefined && !this.taken.has(wanted);
        const id = isFree ? wanted : `call_${randomBytes(12).toString("hex")}`;
        this.taken.add(id);
        return id;
    }
}

function textOf(value: unknown): string {
    if (value == null) return "";
    return typeof value === "string" ? value : JSON.stringify(value);
}

function isWhole(json: string): boolean {
    return json !== "" && parseInput(json).malformedInput === undefined;
}
