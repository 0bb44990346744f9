import { type Delivery, pieces } from "./streaming-server.js";

/** The blocks of scripted replies, streamed as the vendor's server-sent events. */

export type ReplyBlock =
    /** `pieceLength` is characters per event. Default: three events. */
    | {
          readonly type: "text";
          readonly text: string;
          readonly pieceLength?: number;
          readonly cites?: readonly SearchResult[];
      }
    | { readonly type: "thinking"; readonly text: string; readonly signature: string }
    | { readonly type: "redacted_thinking"; readonly data: string }
    | {
          readonly type: "tool_use";
          readonly id: string;
          readonly name: string;
          /** The arguments as streamed; may be invalid JSON. */
          readonly json: string;
      }
    /** A search that the server runs itself, and what it found, or the code of its error. */
    | { readonly type: "server_tool_use"; readonly id: string; readonly query: string }
    | {
          readonly type: "web_search_tool_result";
          readonly id: string;
          readonly found: readonly SearchResult[] | string;
      };

interface SearchResult {
    readonly url: string;
    readonly title: string;
}

export interface VendorCounts {
    readonly input_tokens: number;
    readonly output_tokens: number;
    readonly cache_read_input_tokens: number;
    readonly cache_creation_input_tokens: number;
    readonly cache_creation?: {
        readonly ephemeral_5m_input_tokens: number;
        readonly ephemeral_1h_input_tokens: number;
    };
    readonly server_tool_use?: { readonly web_search_requests: number };
}

export interface Reply extends Delivery {
    readonly blocks?: readonly ReplyBlock[];
    /**
     * Default: `tool_use` if there is one, else `end_turn`. `null` omits the end of the message.
     */
    readonly stopReason?: string | null;
    readonly stopDetails?: object | null;
    readonly usage?: Partial<VendorCounts>;
    /** An error event that replaces the end of the message. */
    readonly streamError?: { readonly type: string; readonly message: string };
}

export const text = (content: string, pieceLength?: number): ReplyBlock => ({
    type: "text",
    text: content,
    ...(pieceLength === undefined ? {} : { pieceLength }),
});

export const thinking = (content: string, signature: string): ReplyBlock => ({
    type: "thinking",
    text: content,
    signature,
});

export const redactedThinking = (data: string): ReplyBlock => ({ type: "redacted_thinking", data });

export const searchCall = (id: string, query: string): ReplyBlock => ({
    type: "server_tool_use",
    id,
    query,
});

export const searchResult = (id: string, found: readonly SearchResult[] | string): ReplyBlock => ({
    type: "web_search_tool_result",
    id,
    found,
});

export const cited = (content: string, ...cites: readonly SearchResult[]): ReplyBlock => ({
    type: "text",
    text: content,
    cites,
});

/** A string `input` is streamed as is, even if invalid. */
export const toolUse = (id: string, name: string, input: object | string): ReplyBlock => ({
    type: "tool_use",
    id,
    name,
    json: typeof input === "string" ? input : JSON.stringify(input),
});

export const reply = (...blocks: readonly ReplyBlock[]): Reply => ({ blocks });

export const failure = (
    status: number,
    type: string,
    message: string,
    headers?: Readonly<Record<string, string>>
): Reply => ({ failure: { status, error: { type, message }, ...(headers ? { headers } : {}) } });

/** The SSE bytes of each event of a reply. */
export function toEvents(reply: Reply, model: string, counts: VendorCounts): Buffer[] {
    const { blocks = [], streamError } = reply;
    const { output_tokens: outputTokens, ...promptCounts } = counts;
    const frames: object[] = [
        {
            type: "message_start",
            message: {
                id: "msg_test",
                type: "message",
                role: "assistant",
                model,
                content: [],
                container: null,
                diagnostics: null,
                stop_reason: null,
                stop_details: null,
                stop_sequence: null,
                usage: { ...promptCounts, output_tokens: 1, service_tier: "standard" },
            },
        },
        { type: "ping" },
        ...blocks.flatMap(blockFrames),
    ];
    if (streamError !== undefined) {
        frames.push({ type: "error", error: streamError, request_id: "req_test" });
    } else if (reply.stopReason !== null) {
        const { cache_creation: _split, ...totals } = counts;
        const hasCall = blocks.some((block) => block.type === "tool_use");
        frames.push(
            {
                type: "message_delta",
                delta: {
                    container: null,
                    stop_reason: reply.stopReason ?? (hasCall ? "tool_use" : "end_turn"),
                    stop_details: reply.stopDetails ?? null,
                    stop_sequence: null,
                },
                usage: { ...totals, output_tokens: outputTokens },
            },
            { type: "message_stop" }
        );
    }
    return frames.map((frame) => {
        const name = "type" in frame ? String(frame.type) : "";
        return Buffer.from(`event: ${name}\ndata: ${JSON.stringify(frame)}\n\n`);
    });
}

function blockFrames(block: ReplyBlock, index: number): object[] {
    const [start, ...deltas] = blockParts(block);
    return [
        { type: "content_block_start", index, content_block: start },
        ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
        { type: "content_block_stop", index },
    ];
}

type ServerBlock = Extract<ReplyBlock, { type: "server_tool_use" | "web_search_tool_result" }>;

/** As it must come back. */
export function toServerBlock(block: ServerBlock): object {
    const { type, id } = block;
    const caller = { type: "direct" };
    if (type === "server_tool_use") {
        return { type, id, name: "web_search", input: { query: block.query }, caller };
    }
    const content =
        typeof block.found === "string"
            ? { type: "web_search_tool_result_error", error_code: block.found }
            : block.found.map(({ url, title }) => ({
                  ...{ type: "web_search_result", url, title, page_age: null },
                  encrypted_content: Buffer.from(url).toString("base64"),
              }));
    return { type, tool_use_id: id, content, caller };
}

/** The start of the block, then its deltas. */
function blockParts(block: ReplyBlock): object[] {
    switch (block.type) {
        case "text":
            return [
                { type: "text", text: "", citations: null },
                ...pieces(block.text, block.pieceLength).map((part) => ({
                    type: "text_delta",
                    text: part,
                })),
                ...(block.cites ?? []).map((cite) => ({
                    type: "citations_delta",
                    citation: {
                        ...{ type: "web_search_result_location", cited_text: "…", ...cite },
                        encrypted_index: "ZW5jcnlwdGVk",
                    },
                })),
            ];
        case "thinking":
            return [
                { type: "thinking", thinking: "", signature: "" },
                ...pieces(block.text).map((part) => ({ type: "thinking_delta", thinking: part })),
                { type: "signature_delta", signature: block.signature },
            ];
        case "redacted_thinking":
            return [{ type: "redacted_thinking", data: block.data }];
        case "tool_use":
            return [
                {
                    type: "tool_use",
                    id: block.id,
                    name: block.name,
                    input: {},
                    caller: { type: "direct" },
                },
                { type: "input_json_delta", partial_json: "" },
                ...pieces(block.json).map((part) => ({
                    type: "input_json_delta",
                    partial_json: part,
                })),
            ];
        case "server_tool_use":
            return [
                { ...toServerBlock(block), input: {} },
                ...pieces(JSON.stringify({ query: block.query })).map((part) => ({
                    type: "input_json_delta",
                    partial_json: part,
                })),
            ];
        case "web_search_tool_result":
            return [toServerBlock(block)];
    }
}
