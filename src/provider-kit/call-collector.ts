import type { JsonObject, Message, ModelEvent } from "../plugin/index.js";
import { CallIds } from "./call-ids.js";
import { isJsonObject, parseInput } from "./tool-input.js";

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

interface CollectedCall {
    readonly serverId: string | undefined;
    readonly index: number | undefined;
    readonly callId: string;
    readonly name: string;
    json: string;
    extras: JsonObject;
}

const FIELDS = new Set(["index", "id", "type", "function"]);
const FUNCTION_FIELDS = new Set(["name", "arguments"]);

/**
 * Assembles streamed calls of chat completions: in pieces or whole, with an index, an id, both or
 * neither, and arguments as text or as an object. Ids of calls in `messages` are never reused.
 */
export class CallCollector {
    private readonly calls: CollectedCall[] = [];
    private readonly ids: CallIds;

    constructor(messages: readonly Message[]) {
        this.ids = new CallIds(messages);
    }

    get isEmpty(): boolean {
        return this.calls.length === 0;
    }

    /** Adds a piece; returns an event if it starts a call or continues its arguments. */
    add(piece: CallPiece): ModelEvent[] {
        const name = piece.function?.name ?? "";
        const json = textOf(piece.function?.arguments);
        const known = this.continued(piece, name, json);
        if (known !== undefined) {
            known.json += json;
            known.extras = withExtras(known.extras, piece);
            const { callId } = known;
            return json === "" ? [] : [{ type: "tool-call-delta", callId, text: json }];
        }
        // A call without a name can be neither shown nor run.
        if (name === "") return [];
        const serverId = piece.id || undefined;
        const callId = this.ids.take(serverId);
        const extras = withExtras({}, piece);
        this.calls.push({ serverId, index: piece.index ?? undefined, callId, name, json, extras });
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

    /**
     * The fields that the protocol does not define, such as Google's `extra_content` with a
     * signature, by call id. Servers want them back with the call; `mergeCallExtras` adds them.
     */
    extras(): Readonly<Record<string, JsonObject>> {
        const marked = this.calls.filter(({ extras }) => Object.keys(extras).length > 0);
        return Object.fromEntries(marked.map(({ callId, extras }) => [callId, extras]));
    }

    /** The call that a piece continues; `undefined` if it starts a new one. */
    private continued(
        { index, id }: CallPiece,
        name: string,
        json: string
    ): CollectedCall | undefined {
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
            name !== "" &&
            (name !== known.name || (json.trimStart().startsWith("{") && isWhole(known.json)));
        return isAnother ? undefined : known;
    }
}

/** Adds the fields of `CallCollector.extras` to a call that is sent back. */
export function mergeCallExtras<Call extends { readonly function: object }>(
    call: Call,
    extras: unknown
): Call {
    if (!isJsonObject(extras)) return call;
    const inner = isJsonObject(extras.function) ? extras.function : {};
    return { ...extras, ...call, function: { ...inner, ...call.function } };
}

function withExtras(extras: JsonObject, piece: CallPiece): JsonObject {
    const outer = unknownFields(piece, FIELDS);
    const inner = unknownFields(piece.function ?? {}, FUNCTION_FIELDS);
    const before = isJsonObject(extras.function) ? extras.function : {};
    return {
        ...extras,
        ...outer,
        ...(Object.keys(inner).length > 0 ? { function: { ...before, ...inner } } : {}),
    };
}

function unknownFields(value: object, known: ReadonlySet<string>): JsonObject {
    const entries = Object.entries(isJsonObject(value) ? value : {});
    return Object.fromEntries(
        entries.filter(([field, content]) => !known.has(field) && content !== null)
    );
}

function textOf(value: unknown): string {
    if (value == null) return "";
    return typeof value === "string" ? value : JSON.stringify(value);
}

function isWhole(json: string): boolean {
    return json !== "" && parseInput(json).malformedInput === undefined;
}
