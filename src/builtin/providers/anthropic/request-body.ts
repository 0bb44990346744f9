import { createHash } from "node:crypto";
import type { Message, ModelInfo, ModelRequest } from "../../../plugin/index.js";
import { toMessageParam } from "./message-mapping.js";
import { toThinking } from "./thinking-mapping.js";

// https://platform.claude.com/docs/en/build-with-claude/prompt-caching

/** What is sent, and what thinking in the reply will be bound to. */
export interface RequestBody {
    readonly bytes: Buffer;
    /** Fingerprint of system prompt, tools and messages as they were sent. */
    readonly fingerprint: string;
}

/** One message as it was sent after a certain beginning. */
interface SentMessage {
    readonly after: string;
    /** `null`: the message was left out. */
    readonly bytes: Buffer | null;
    readonly fingerprint: string;
}

const CACHED = { type: "ephemeral" } as const;
const COMMA = Buffer.from(",");
const END = Buffer.from("]}");

/**
 * Builds request bodies in which nothing that was sent is ever serialised again: each message is
 * turned into bytes once, and the messages come last, so that a request is the one before and then
 * some. The only cache marks are the one on the system prompt and the vendor's automatic one on
 * the last block, which is not part of any message.
 */
export function createBodyBuilder(): (request: ModelRequest) => RequestBody {
    const sentByModel = new Map<string, WeakMap<Message, SentMessage>>();
    return (request) => {
        const sent = sentByModel.get(request.model.id) ?? new WeakMap<Message, SentMessage>();
        sentByModel.set(request.model.id, sent);
        const preamble = preambleOf(request);
        const pieces: Buffer[] = [Buffer.from(headOf(request, preamble))];
        let fingerprint = digest("", preamble);
        for (const message of request.messages) {
            const piece = send(message, request.model, fingerprint, sent);
            fingerprint = piece.fingerprint;
            if (piece.bytes === null) continue;
            if (pieces.length > 1) pieces.push(COMMA);
            pieces.push(piece.bytes);
        }
        pieces.push(END);
        return { bytes: Buffer.concat(pieces), fingerprint };
    };
}

function send(
    message: Message,
    model: ModelInfo,
    after: string,
    sent: WeakMap<Message, SentMessage>
): SentMessage {
    const known = sent.get(message);
    if (known?.after === after) return known;
    const param = toMessageParam(message, model, after);
    const text = param === undefined ? null : toJson(param);
    const fresh: SentMessage = {
        after,
        bytes: text === null ? null : Buffer.from(text),
        fingerprint: text === null ? after : digest(after, text),
    };
    sent.set(message, fresh);
    return fresh;
}

/** System prompt and tools: what every request of a conversation begins with. */
function preambleOf({ system, tools }: ModelRequest): string {
    const fields = {
        ...(system === ""
            ? {}
            : { system: [{ type: "text", text: system, cache_control: CACHED }] }),
        ...(tools.length === 0
            ? {}
            : {
                  tools: tools.map(({ name, description, inputSchema }) => ({
                      name,
                      description,
                      input_schema: inputSchema,
                  })),
              }),
    };
    return toJson(fields).slice(1, -1);
}

function headOf(request: ModelRequest, preamble: string): string {
    const settings = toJson({
        model: request.model.id,
        max_tokens: request.maxOutputTokens,
        stream: true,
        cache_control: CACHED,
        thinking: toThinking(request),
    }).slice(0, -1);
    return `${settings},${preamble === "" ? "" : `${preamble},`}"messages":[`;
}

/** Half of a surrogate pair, left by a cut in a result, would make the vendor reject all of it. */
function toJson(value: unknown): string {
    const json = JSON.stringify(value);
    if (!json.includes("\\ud")) return json;
    return JSON.stringify(value, (_key, item: unknown) =>
        typeof item === "string" ? item.replace(/\p{Surrogate}/gu, "\ufffd") : item
    );
}

function digest(before: string, text: string): string {
    return createHash("sha256").update(before).update(text).digest("hex").slice(0, 32);
}
