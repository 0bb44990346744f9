import { type Delivery, pieces } from "./streaming-server.js";

/** The blocks of scripted replies, streamed as the vendor's server-sent events. */

export type ReplyBlock =
    | {
          readonly type: "text";
          readonly text: string;
          readonly phase?: string;
          readonly annotations?: readonly object[];
      }
    /** A search that the server runs itself, or a page that it opens. */
    | {
          readonly type: "web_search_call";
          readonly id: string;
          readonly action: object;
          readonly status?: "completed" | "failed";
      }
    | { readonly type: "refusal"; readonly text: string }
    | {
          readonly type: "reasoning";
          readonly id: string;
          readonly summaries: readonly string[];
          readonly encrypted: string;
      }
    | {
          readonly type: "function_call";
          readonly callId: string;
          readonly name: string;
          /** The arguments as streamed; may be invalid JSON. */
          readonly json: string;
          /** Whether its end is missing, as when a limit cuts it off. */
          readonly isCut?: boolean;
      };

export interface ResponsesReply extends Delivery {
    readonly blocks?: readonly ReplyBlock[];
    readonly usage?: object | null;
    /** Default: `default`. */
    readonly serviceTier?: string;
    /** Default: `completed`. `null` omits the end. */
    readonly status?: "completed" | "incomplete" | "failed" | null;
    readonly incompleteReason?: string;
    /** For `failed`. */
    readonly error?: { readonly code: string; readonly message: string };
    /** An error event that replaces the end. */
    readonly streamError?: object;
}

export const text = (content: string, phase?: string): ReplyBlock => ({
    type: "text",
    text: content,
    ...(phase === undefined ? {} : { phase }),
});

export const searchCall = (
    id: string,
    action: object,
    status: "completed" | "failed" = "completed"
): ReplyBlock => ({ type: "web_search_call", id, action, status });

export const cited = (content: string, url: string, title: string): ReplyBlock => ({
    type: "text",
    text: content,
    annotations: [
        { type: "url_citation", start_index: 0, end_index: content.length, url, title },
        { type: "file_path", file_id: "file_1", index: 0 },
    ],
});

export const refusal = (content: string): ReplyBlock => ({ type: "refusal", text: content });

export const reasoning = (
    id: string,
    encrypted: string,
    ...summaries: readonly string[]
): ReplyBlock => ({ type: "reasoning", id, summaries, encrypted });

/** A string `input` is streamed as is, even if invalid. */
export const functionCall = (
    callId: string,
    name: string,
    input: object | string,
    isCut = false
): ReplyBlock => ({
    type: "function_call",
    callId,
    name,
    json: typeof input === "string" ? input : JSON.stringify(input),
    isCut,
});

export const reply = (...blocks: readonly ReplyBlock[]): ResponsesReply => ({ blocks });

export const failure = (
    status: number,
    error: unknown,
    headers?: Readonly<Record<string, string>>
): ResponsesReply => ({ failure: { status, error, ...(headers ? { headers } : {}) } });

const USAGE = {
    input_tokens: 10,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: 5,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 15,
};

/** The complete item. */
export function itemOf(block: ReplyBlock, index: number): object {
    switch (block.type) {
        case "reasoning":
            return {
                id: block.id,
                type: "reasoning",
                encrypted_content: block.encrypted,
                summary: block.summaries.map((said) => ({ type: "summary_text", text: said })),
            };
        case "function_call":
            return {
                id: `fc_${index}`,
                type: "function_call",
                status: "completed",
                call_id: block.callId,
                name: block.name,
                arguments: block.json,
            };
        case "web_search_call": {
            const { id, action, status } = block;
            return { id, type: "web_search_call", status, action };
        }
        case "text":
        case "refusal":
            return {
                id: `msg_${index}`,
                type: "message",
                status: "completed",
                role: "assistant",
                content: [partOf(block)],
                ...(block.type === "text" && block.phase ? { phase: block.phase } : {}),
            };
    }
}

function partOf(block: Extract<ReplyBlock, { type: "text" | "refusal" }>): object {
    return block.type === "refusal"
        ? { type: "refusal", refusal: block.text }
        : {
              ...{ type: "output_text", text: block.text },
              ...{ annotations: block.annotations ?? [], logprobs: [] },
          };
}

/** The SSE bytes of each event of a reply. */
export function toEvents(reply: ResponsesReply, model: string): Buffer[] {
    const { blocks = [], status = "completed", usage = USAGE, serviceTier = "default" } = reply;
    const response = {
        id: "resp_test",
        object: "response",
        created_at: 1,
        model,
        error: null,
        incomplete_details: null,
        output: [],
        service_tier: serviceTier,
        usage: null,
    };
    const begun = { ...response, status: "in_progress" };
    const frames: object[] = [
        { type: "response.created", response: begun },
        { type: "response.in_progress", response: begun },
        ...blocks.flatMap(blockFrames),
    ];
    if (reply.streamError !== undefined) {
        frames.push({ type: "error", ...reply.streamError });
    } else if (status !== null) {
        frames.push({
            type: `response.${status}`,
            response: {
                ...response,
                status,
                output: blocks.map(itemOf),
                error: reply.error ?? null,
                incomplete_details: reply.incompleteReason
                    ? { reason: reply.incompleteReason }
                    : null,
                usage,
            },
        });
    }
    return frames.map((frame, index) => {
        const name = "type" in frame ? String(frame.type) : "";
        const data = JSON.stringify({ ...frame, sequence_number: index });
        return Buffer.from(`event: ${name}\ndata: ${data}\n\n`);
    });
}

function blockFrames(block: ReplyBlock, index: number): object[] {
    const place = { output_index: index };
    const item = itemOf(block, index);
    const begun = { ...item, ...BEGUN[block.type] };
    const isCut = block.type === "function_call" && block.isCut === true;
    return [
        { type: "response.output_item.added", ...place, item: begun },
        ...innerFrames(block, index),
        ...(isCut ? [] : [{ type: "response.output_item.done", ...place, item }]),
    ];
}

/** How an item differs at its start. */
const BEGUN: Readonly<Record<ReplyBlock["type"], object>> = {
    text: { status: "in_progress", content: [] },
    refusal: { status: "in_progress", content: [] },
    reasoning: { summary: [], encrypted_content: "begun" },
    web_search_call: { status: "in_progress", action: { type: "search" } },
    function_call: { status: "in_progress", arguments: "" },
};

function innerFrames(block: ReplyBlock, index: number): object[] {
    const place = { output_index: index, item_id: `item_${index}` };
    switch (block.type) {
        case "reasoning":
            return block.summaries.flatMap((said, summary) =>
                summaryFrames(said, { ...place, summary_index: summary })
            );
        case "web_search_call":
            return ["in_progress", "searching", "completed"].map((state) => ({
                type: `response.web_search_call.${state}`,
                ...place,
            }));
        case "function_call": {
            const type = "response.function_call_arguments";
            const deltas = pieces(block.json).map((delta) => ({
                type: `${type}.delta`,
                ...place,
                delta,
            }));
            if (block.isCut === true) return deltas;
            return [...deltas, { type: `${type}.done`, ...place, arguments: block.json }];
        }
        case "text":
        case "refusal": {
            const at = { ...place, content_index: 0 };
            const part = partOf(block);
            const begun = partOf({ ...block, text: "" });
            const type = block.type === "text" ? "response.output_text" : "response.refusal";
            return [
                { type: "response.content_part.added", ...at, part: begun },
                ...pieces(block.text).map((delta) => ({ type: `${type}.delta`, ...at, delta })),
                { type: `${type}.done`, ...at, text: block.text, refusal: block.text },
                { type: "response.content_part.done", ...at, part },
            ];
        }
    }
}

function summaryFrames(said: string, place: object): object[] {
    const part = { type: "summary_text", text: said };
    const type = "response.reasoning_summary";
    return [
        { type: `${type}_part.added`, ...place, part: { ...part, text: "" } },
        ...pieces(said).map((delta) => ({ type: `${type}_text.delta`, ...place, delta })),
        { type: `${type}_text.done`, ...place, text: said },
        { type: `${type}_part.done`, ...place, part },
    ];
}
