import {
    type ChatRequest,
    checkChatRequest,
    type ServerKnowledge,
} from "./chat-completions-checks.js";
import {
    createMarkedCache,
    createPrefixCache,
    type PromptBlock,
    type PromptCounts,
} from "./prefix-cache.js";
import {
    check,
    type Delivery,
    type Fields,
    pieces,
    type ReceivedRequest,
    startStreamingServer,
    type StreamingServer,
} from "./streaming-server.js";

export type { ChatRequest } from "./chat-completions-checks.js";

/** A scripted reply. */
export interface ChatReply extends Delivery {
    /** What each chunk adds to the reply, in some server's dialect. */
    readonly deltas?: readonly object[];
    /** Default: `stop`, or `tool_calls`. `null` omits it. */
    readonly finishReason?: string | null;
    /** Usage in a last chunk without choices; `null` for a server that does not report it. */
    readonly usage?: object | null;
    /** Report usage with every chunk too. */
    readonly countsAlong?: boolean;
    /** Whether `[DONE]` is missing. */
    readonly omitsDone?: boolean;
    /** Replaces the end. */
    readonly streamError?: unknown;
    /** Raw chunks sent before the others. */
    readonly first?: readonly object[];
}

/** Text in a few chunks. */
export const says = (content: string): object[] =>
    pieces(content).map((part) => ({ content: part }));

/** Reasoning in a few chunks, in the server's field. */
export const thinks = (field: string, content: string): object[] =>
    pieces(content).map((part) => ({ [field]: part }));

/** A tool call as OpenAI streams it: id and name first, then the arguments in chunks. */
export const calls = (
    index: number,
    id: string,
    name: string,
    input: object | string
): object[] => {
    const json = typeof input === "string" ? input : JSON.stringify(input);
    return [
        { tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] },
        ...pieces(json).map((part) => ({ tool_calls: [{ index, function: { arguments: part } }] })),
    ];
};

export const reply = (...deltas: readonly (readonly object[])[]): ChatReply => ({
    deltas: deltas.flat(),
});

export const failure = (
    status: number,
    error: unknown,
    headers?: Readonly<Record<string, string>>
): ChatReply => ({ failure: { status, error, ...(headers ? { headers } : {}) } });

export interface ChatServerOptions extends ServerKnowledge {
    /**
     * The replies in order, or a function of the request; `undefined` for an unexpected request.
     */
    readonly script:
        | readonly ChatReply[]
        | ((request: ReceivedRequest<ChatRequest>) => ChatReply | undefined);
    /** The required key. If absent, a request must not have any. */
    readonly apiKey?: string;
    /** Whether every message with tool calls must have the reasoning field, possibly empty. */
    readonly insistsOnReasoning?: boolean;
    /** The response to GET /v1/models: an empty list if absent, 404 if `undefined`. */
    readonly models?: unknown;
    /** Report token counts like the server's prompt cache. */
    readonly simulateCache?: boolean;
}

export interface ChatServer extends StreamingServer<ChatRequest> {
    /** For `baseURL`. */
    readonly url: string;
    /** Counts of the simulated cache for each answered request. */
    readonly counts: readonly PromptCounts[];
}

const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

/** A chat completions server on loopback, with scripted replies and the strictest checks. */
const NO_MODELS = { object: "list", data: [] };

export async function startChatServer(options: ChatServerOptions): Promise<ChatServer> {
    const { reasoningField } = options;
    const thoughts = new Set<string>();
    const cache = options.cacheMarks === true ? createGatewayCache() : createPrefixCache();
    const counts: PromptCounts[] = [];
    const server = await startStreamingServer<ChatRequest, ChatReply>({
        script: options.script,
        path: "/v1/chat/completions",
        ...(options.apiKey === undefined ? {} : { apiKey: options.apiKey }),
        needsKey: options.apiKey !== undefined,
        resources: { "/v1/models": "models" in options ? options.models : NO_MODELS },
        check: (parsed) => {
            const request = checkChatRequest(parsed, options);
            for (const message of request.messages) {
                const thought = reasoningField ? message[reasoningField] : undefined;
                check(
                    thought !== undefined ||
                        message.tool_calls === undefined ||
                        options.insistsOnReasoning !== true,
                    `The ${reasoningField} in the thinking mode must be passed back to the API.`,
                    { code: "invalid_request_error" }
                );
                if (thought === undefined || thought === "") continue;
                check(thoughts.has(String(thought)), `A thought of somebody else: ${thought}`);
            }
            return request;
        },
        toEvents: (reply, { model, stream_options: wants, tools = [], messages }) => {
            if (reasoningField) thoughts.add(thoughtIn(reply, reasoningField));
            const isCounted = wants?.include_usage === true;
            if (options.simulateCache !== true) return toEvents(reply, model, isCounted);
            const counted = cache(model, [...tools, ...messages]);
            counts.push(counted);
            return toEvents({ usage: usageOf(counted), ...reply }, model, isCounted);
        },
    });
    return { ...server, url: `${server.origin}/v1`, counts };
}

/** A gateway before Anthropic: the blocks are the tools and the parts of the messages. */
function createGatewayCache(): ReturnType<typeof createPrefixCache> {
    const cache = createMarkedCache();
    return (model, parts) => {
        const blocks = (parts as readonly Fields[]).flatMap(({ content, ...rest }): PromptBlock[] =>
            Array.isArray(content)
                ? content.map(({ cache_control: mark, ...part }: Fields) => ({
                      content: { ...rest, part },
                      isMarked: mark !== undefined,
                  }))
                : [{ content: { ...rest, content }, isMarked: false }]
        );
        const { all, read } = cache(model, blocks);
        return { promptTokens: Math.ceil(all / 4), cachedTokens: Math.ceil(read / 4) };
    };
}

function usageOf({ promptTokens, cachedTokens }: PromptCounts): object {
    return {
        prompt_tokens: promptTokens,
        prompt_tokens_details: { cached_tokens: cachedTokens },
        completion_tokens: 10,
        total_tokens: promptTokens + 10,
    };
}

function thoughtIn({ deltas = [] }: ChatReply, field: string): string {
    return deltas.map((delta) => String((delta as Record<string, unknown>)[field] ?? "")).join("");
}

/** The SSE bytes of each event of a reply. */
function toEvents(reply: ChatReply, model: string, isCounted: boolean): Buffer[] {
    const { deltas = [], usage = USAGE } = reply;
    const hasCalls = deltas.some((delta) => "tool_calls" in delta);
    const reason =
        reply.finishReason === undefined ? (hasCalls ? "tool_calls" : "stop") : reply.finishReason;
    const common = { id: "chatcmpl-test", object: "chat.completion.chunk", created: 1, model };
    const along = reply.countsAlong === true && usage !== null ? { usage } : {};
    const choice = (delta: object, finish_reason: string | null) => ({
        ...common,
        choices: [{ index: 0, delta, logprobs: null, finish_reason }],
        ...along,
    });
    const frames: unknown[] = [
        ...(reply.first ?? []),
        choice({ role: "assistant", content: "" }, null),
        ...deltas.map((delta) => choice(delta, null)),
    ];
    if (reply.streamError !== undefined) {
        frames.push({ error: reply.streamError });
    } else {
        if (reason !== null) frames.push(choice({}, reason));
        if (isCounted && usage !== null) frames.push({ ...common, choices: [], usage });
    }
    const sent = frames.map((frame) => Buffer.from(`data: ${JSON.stringify(frame)}\n\n`));
    return reply.omitsDone === true ? sent : [...sent, Buffer.from("data: [DONE]\n\n")];
}
