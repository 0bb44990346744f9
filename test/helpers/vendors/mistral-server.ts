import { checkMistralRequest, type MistralRequest } from "./mistral-checks.js";
import {
    check,
    type Delivery,
    type Fields,
    type ReceivedRequest,
    startStreamingServer,
    type StreamingServer,
} from "./streaming-server.js";

export type { MistralRequest } from "./mistral-checks.js";

/** A scripted reply. */
export interface MistralReply extends Delivery {
    /** What each chunk adds to the reply, before its calls. */
    readonly deltas?: readonly object[];
    /** Id, name and arguments (text or an object). Each call is one chunk. */
    readonly calls?: readonly (readonly [string, string, object | string])[];
    /** Default: `stop`, or `tool_calls`. `null` omits the end. */
    readonly finishReason?: string | null;
    readonly usage?: object;
    /** Whether `[DONE]` is missing. */
    readonly omitsDone?: boolean;
}

export interface MistralServerOptions {
    /**
     * The replies in order, or a function of the request; `undefined` for an unexpected request.
     */
    readonly script:
        | readonly MistralReply[]
        | ((request: ReceivedRequest<MistralRequest>) => MistralReply | undefined);
    /** The only accepted key; any if absent. */
    readonly apiKey?: string;
    /** The response to a list of models. Default: an empty list. */
    readonly list?: Pick<Delivery, "failure" | "gate">;
}

export interface MistralServer extends StreamingServer<MistralRequest> {
    /** For `MISTRAL_BASE_URL` or `baseURL`. */
    readonly url: string;
}

export const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

/** Reasoning as the vendor streams it; the last chunk has the signature. */
export const thinks = (text: string, signature?: string): object[] => [
    { content: [{ type: "thinking", thinking: [{ type: "text", text }] }] },
    ...(signature === undefined
        ? []
        : [{ content: [{ type: "thinking", thinking: [], signature }] }]),
];

/** The vendor's chat completions on loopback, with scripted replies and strict checks. */
export async function startMistralServer(options: MistralServerOptions): Promise<MistralServer> {
    const { script, apiKey } = options;
    /** Signed reasoning that it wrote, by text, with its model. */
    const issued = new Map<string, string>();
    const server = await startStreamingServer<MistralRequest, MistralReply>({
        script,
        path: "/v1/chat/completions",
        ...(apiKey === undefined ? {} : { apiKey }),
        needsKey: true,
        listPath: "/v1/models",
        ...(options.list ? { list: options.list } : {}),
        toErrorBody: (error) => ({ object: "error", param: null, code: null, ...Object(error) }),
        check: (parsed) => {
            const request = checkMistralRequest(parsed);
            for (const { text, signature } of thoughtsIn(request.messages)) {
                const known = issued.get(text);
                const sent = JSON.stringify([request.model, signature]);
                check(known === sent, `A thought of somebody else: ${text} (${known}, ${sent})`);
            }
            return request;
        },
        toEvents: (reply, { model }) => {
            const [thought] = thoughtsIn([{ content: contentOf(reply.deltas ?? []) }]);
            if (thought) issued.set(thought.text, JSON.stringify([model, thought.signature]));
            return toEvents(reply, model);
        },
    });
    return { ...server, url: server.origin };
}

function contentOf(deltas: readonly object[]): readonly Fields[] {
    return (deltas as readonly Fields[]).flatMap(({ content }) =>
        Array.isArray(content) ? content : []
    );
}

/** The reasoning in each message, and its signature. */
function thoughtsIn(messages: readonly Fields[]) {
    return messages.flatMap(({ content }) => {
        const chunks = (Array.isArray(content) ? (content as readonly Fields[]) : []).filter(
            ({ type }) => type === "thinking"
        );
        if (chunks.length === 0) return [];
        const texts = chunks.flatMap(({ thinking }) => thinking as readonly { text: string }[]);
        const signature = chunks.find((chunk) => chunk.signature)?.signature;
        return [{ text: texts.map(({ text }) => text).join(""), signature }];
    });
}

/** The SSE bytes of each event of a reply. */
function toEvents(reply: MistralReply, model: string): Buffer[] {
    const { deltas = [], calls = [], usage = USAGE } = reply;
    const usual = calls.length > 0 ? "tool_calls" : "stop";
    const reason = reply.finishReason === undefined ? usual : reply.finishReason;
    const chunk = (delta: object, finish_reason: string | null, rest: object = {}) => ({
        id: "cmpl-test",
        object: "chat.completion.chunk",
        created: 1,
        model,
        choices: [{ index: 0, delta, finish_reason }],
        ...rest,
    });
    const frames: object[] = [
        chunk({ role: "assistant", content: "" }, null),
        ...deltas.map((delta) => chunk(delta, null)),
        ...calls.map((call, index) => chunk({ tool_calls: [toCall(call, index)] }, null)),
        ...(reason === null ? [] : [chunk({ content: "" }, reason, { usage })]),
    ];
    const sent = frames.map((frame) => Buffer.from(`data: ${JSON.stringify(frame)}\n\n`));
    return reply.omitsDone === true ? sent : [...sent, Buffer.from("data: [DONE]\n\n")];
}

function toCall([id, name, input]: readonly [string, string, object | string], index: number) {
    const text = typeof input === "string" ? input : JSON.stringify(input);
    return { id, index, function: { name, arguments: text } };
}
